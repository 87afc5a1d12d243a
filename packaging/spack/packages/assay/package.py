import os

from spack_repo.builtin.build_systems import cargo

from spack.package import *


class Assay(cargo.CargoPackage):
    """Acceptance tests of parallel file systems: plans, verdicts and evidence. It replaces ior, mdtest,
    md-workbench, fdtree, FLASH-IO and many ls -lR. MPI, HDF5 and PnetCDF are found when a workload starts,
    so the program is built without them."""

    # There is no public address of the source yet. Build a checkout with `spack dev-build`, or put the
    # archive of the source, assay-VERSION.tar.gz, into the working directory of `spack install`.
    manual_download = True
    url = f"file://{os.getcwd()}/assay-0.1.0.tar.gz"

    license("MIT OR Apache-2.0")

    # No checksum, because there is no published archive: `spack install --no-checksum`.
    version("0.1.0")

    variant(
        "links",
        values=any_combination_of(
            "ior", "mdtest", "md-workbench", "fdtree", "flash-io", "flash_benchmark_io", "ls-lr",
            "pfind", "io500",
        ),
        description="Classic names as links in bin. Packages with these names cannot be in the same view.",
    )
    variant("mpi", default=False, description="Load an MPI library with the package, for ranks on many nodes")

    # SQLite is built from the sources in its crate.
    depends_on("c", type="build")
    depends_on("rust@1.95:", type="build")
    depends_on("mpi", type="run", when="+mpi")

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        # Part of the evidence of each campaign.
        env.set("ASSAY_RUSTC", f"rustc {self.spec['rust'].version}")

    @run_after("install")
    def install_links_and_pages(self):
        assay = Executable(self.prefix.bin.assay)
        mkdirp(self.prefix.share.man.man1)
        assay("man", "--all", self.prefix.share.man.man1)
        completions = {
            "bash": join_path(self.prefix, "share", "bash-completion", "completions", "assay"),
            "zsh": join_path(self.prefix, "share", "zsh", "site-functions", "_assay"),
            "fish": join_path(self.prefix, "share", "fish", "vendor_completions.d", "assay.fish"),
        }
        for shell, path in completions.items():
            mkdirp(os.path.dirname(path))
            with open(path, "w") as file:
                assay("completions", shell, output=file)
        for name in self.spec.variants["links"].value:
            if name != "none":
                symlink("assay", join_path(self.prefix.bin, name))

    def test_version(self):
        """The program starts and prints its version."""
        assay = which(self.prefix.bin.assay, required=True)
        assert str(self.spec.version) in assay("--version", output=str.split, error=str.split)


# Spack finds the builder of a package by this name.
class CargoBuilder(cargo.CargoBuilder):
    @property
    def build_directory(self):
        return join_path(self.pkg.stage.source_path, "crates", "cli")

    @property
    def build_args(self):
        return ["--locked", "--bin", "assay"]

    @property
    def check_args(self):
        # The other tests start launchers and mount file systems.
        return ["--locked", "--bins"]

    def install(self, pkg, spec, prefix):
        mkdirp(prefix.bin)
        install(join_path(self.build_directory, "out", "bin", "assay"), prefix.bin)
