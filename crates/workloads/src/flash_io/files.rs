//! The three files: their names and their arrays.

use command::flash_io::{FlashIoParameters, Form, PHASES};
use storage::arrays::Element;

/// The unknowns of a zone, by their FLASH names. The value of each is its number, counted from 1.
const UNKNOWNS: [&str; 24] = [
    "dens", "velx", "vely", "velz", "pres", "ener", "temp", "gamc", "game", "enuc", "gpot", "f1  ", "f2  ",
    "f3  ", "f4  ", "f5  ", "f6  ", "f7  ", "f8  ", "f9  ", "f10 ", "f11 ", "f12 ", "f13 ",
];

/// The unknowns in the plot files: density, temperature, pressure and the first fluid.
const PLOTTED: [usize; 4] = [0, 6, 4, 11];

/// Neighbours, parent and children of a block.
const RELATIVES: u64 = 15;

/// The part of each file's name that is its own.
const NAMES: [&str; 3] = ["chk", "plt_cnt", "plt_crn"];

/// One of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashFile {
    /// All unknowns in double precision.
    Checkpoint,
    /// Four unknowns in single precision.
    PlotCentered,
    /// The same four at the corners of the zones.
    PlotCorner,
}

/// An array of a file. All blocks have the same number of elements.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileArray {
    pub(super) name: String,
    pub(super) element: Element,
    /// Its dimensions after that of the blocks, as indices into [`FlashFile::dimensions`].
    pub(super) inner: &'static [usize],
    pub(super) lengths: Vec<u64>,
    pub(super) value: f64,
    /// The unknown that it holds; `None` for an array that describes the blocks.
    pub(super) unknown: Option<usize>,
}

impl FileArray {
    /// Elements of one block.
    pub(super) fn elements(&self) -> u64 {
        self.lengths.iter().product()
    }

    /// Bytes of one block.
    pub(super) fn bytes(&self) -> u64 {
        self.elements() * self.element.bytes()
    }
}

impl FlashFile {
    /// All files, in the order in which they are written.
    pub const ALL: [Self; 3] = [Self::Checkpoint, Self::PlotCentered, Self::PlotCorner];

    /// The name in records of the phase that writes it.
    pub fn name(self) -> &'static str {
        PHASES[self as usize][0]
    }

    /// The name in records of the phase that reads and compares it.
    pub fn check_name(self) -> &'static str {
        PHASES[self as usize][1]
    }

    /// Its path.
    pub fn path(self, form: Form, prefix: &str) -> String {
        let name = NAMES[self as usize];
        // The original trims trailing blanks, as Fortran does.
        let prefix = prefix.trim_end_matches(' ');
        match form {
            Form::Pnetcdf => format!("{prefix}ncmpi_{name}_0000.nc"),
            Form::Hdf5 => format!("{prefix}hdf5_{name}_0000"),
        }
    }

    /// The unknowns in it, counted from 0.
    pub(super) fn unknowns(self) -> &'static [usize] {
        const ALL: [usize; 24] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23];
        if self == Self::Checkpoint { &ALL } else { &PLOTTED }
    }

    /// Zones of a block in each direction. In the corner file, corners.
    pub(super) fn side(self, zones: u64) -> u64 {
        zones + u64::from(self == Self::PlotCorner)
    }

    /// The type of its floating-point elements.
    pub(super) fn real(self) -> Element {
        if self == Self::Checkpoint { Element::Double } else { Element::Float }
    }

    /// Its dimensions with their lengths. The first is the number of all blocks.
    pub(super) fn dimensions(self, zones: u64, blocks: u64) -> [(&'static str, u64); 7] {
        let side = self.side(zones);
        [
            ("dim_tot_blocks", blocks),
            ("dim_nxb", side),
            ("dim_nyb", side),
            ("dim_nzb", side),
            ("dim_NGID", RELATIVES),
            ("dim_NDIM", 3),
            ("dim_2", 2),
        ]
    }

    /// Its arrays, in the order of the file.
    pub(super) fn arrays(self, form: Form, zones: u64) -> Vec<FileArray> {
        let (real, dimensions) = (self.real(), self.dimensions(zones, 0));
        let array = |name, element, inner: &'static [usize], value| {
            let lengths = inner.iter().map(|at| dimensions[*at].1).collect();
            FileArray { name, element, inner, lengths, value, unknown: None }
        };
        // The arrays that describe the blocks, by their names in each form.
        let tree: [([&str; 2], Element, &[usize], f64); 6] = [
            (["lrefine", "refine level"], Element::Int, &[], 1.0),
            (["nodetype", "node type"], Element::Int, &[], 1.0),
            (["gid", "gid"], Element::Int, &[4], -1.0),
            (["coordinates", "coordinates"], real, &[5], 0.25),
            (["blocksize", "block size"], real, &[5], 0.5),
            (["bndbox", "bounding box"], real, &[5, 6], 0.0),
        ];
        let of_blocks = |(names, element, inner, value): ([&str; 2], _, _, _)| {
            array(names[usize::from(form == Form::Hdf5)].to_owned(), element, inner, value)
        };
        let mut arrays: Vec<FileArray> = tree.map(of_blocks).into();
        for unknown in self.unknowns() {
            let array = array(label(form, *unknown), real, &[3, 2, 1], (*unknown + 1) as f64);
            arrays.push(FileArray { unknown: Some(*unknown), ..array });
        }
        arrays
    }

    /// Bytes of the data of one block.
    pub fn block_bytes(self, parameters: &FlashIoParameters) -> u64 {
        self.arrays(parameters.form, parameters.zones).iter().map(FileArray::bytes).sum()
    }
}

/// An unknown, by its name in the file.
fn label(form: Form, unknown: usize) -> String {
    match form {
        Form::Pnetcdf => UNKNOWNS[unknown].replace(' ', "_"),
        Form::Hdf5 => UNKNOWNS[unknown].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_block_are_those_of_its_tree_and_its_zones() {
        for zones in [1, 2, 8, 16, 32] {
            let parameters = FlashIoParameters { zones, ..FlashIoParameters::default() };
            let bytes = FlashFile::ALL.map(|file| file.block_bytes(&parameters));
            let (centers, corners) = (zones.pow(3), (zones + 1).pow(3));
            assert_eq!(bytes, [164 + 192 * centers, 116 + 16 * centers, 116 + 16 * corners], "{zones}");
        }
    }

    /// The known amounts for 64 processes and blocks of 16 x 16 x 16, MiB.
    #[test]
    fn sixty_four_ranks_write_the_amounts_that_are_known() {
        let parameters = FlashIoParameters { zones: 16, ..FlashIoParameters::default() };
        let blocks = parameters.blocks_total(64);
        let headers = [2968, 1288, 1288];
        let amounts = [0, 1, 2].map(|at| FlashFile::ALL[at].block_bytes(&parameters) * blocks + headers[at]);
        let mebibytes = |bytes: u64| format!("{:.2}", bytes as f64 / 1_048_576.0);
        assert_eq!(amounts.map(mebibytes), ["3888.06", "324.51", "389.13"]);
        assert_eq!(mebibytes(amounts.iter().sum()), "4601.70");
    }

    #[test]
    fn plot_files_have_density_temperature_pressure_and_the_first_fluid() {
        let names = |form, file: FlashFile| -> Vec<(String, f64)> {
            file.arrays(form, 8).into_iter().skip(6).map(|array| (array.name, array.value)).collect()
        };
        for (form, fluids) in [(Form::Pnetcdf, ["f1__", "f13_"]), (Form::Hdf5, ["f1  ", "f13 "])] {
            let plotted = [("dens", 1.0), ("temp", 7.0), ("pres", 5.0), (fluids[0], 12.0)];
            assert_eq!(
                names(form, FlashFile::PlotCorner),
                plotted.map(|(name, value)| (name.to_owned(), value))
            );
            assert_eq!(names(form, FlashFile::Checkpoint)[23], (fluids[1].to_owned(), 24.0));
        }
    }

    #[test]
    fn names_are_those_of_the_original() {
        assert_eq!(FlashFile::Checkpoint.path(Form::Pnetcdf, "./o_"), "./o_ncmpi_chk_0000.nc");
        assert_eq!(FlashFile::PlotCentered.path(Form::Pnetcdf, "o "), "oncmpi_plt_cnt_0000.nc");
        assert_eq!(FlashFile::PlotCorner.path(Form::Pnetcdf, "/a/"), "/a/ncmpi_plt_crn_0000.nc");
        assert_eq!(FlashFile::Checkpoint.path(Form::Hdf5, "./o_"), "./o_hdf5_chk_0000");
        assert_eq!(FlashFile::PlotCorner.path(Form::Hdf5, "o "), "ohdf5_plt_crn_0000");
    }
}
