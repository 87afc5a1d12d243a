//! NFS version 3: NFS-Ganesha in namespaces of its own, and clients of the tests.

use std::fs::{self, File};
use std::io;
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::OwnDirectory;
use crate::common::campaign::until;
use crate::common::fuse::FuseMount;
use crate::common::fuse::nfs::Nfs;

/// The ports of the file service and of the mount service, in a network of their own.
const PORTS: [u16; 2] = [2049, 2050];

impl OwnDirectory {
    pub(super) fn nfs(&self, clients: &[&str]) -> Option<Vec<FuseMount>> {
        let (data, state, holder) = (self.directory("data"), self.directory("state"), self.text("holder"));
        let settings = format!(
            "NFS_CORE_PARAM {{ NFS_Port = {}; MNT_Port = {}; Protocols = 3; Enable_NLM = false; \
             Enable_RQUOTA = false; }}\nNFSV4 {{ Graceless = true; RecoveryRoot = {state}; }}\n\
             EXPORT {{ Export_Id = 1; Path = {data}; Pseudo = /exp; Protocols = 3; Access_Type = RW; \
             Squash = None; SecType = sys; FSAL {{ Name = VFS; }} }}\n",
            PORTS[0], PORTS[1]
        );
        fs::write(self.path("ganesha.conf"), settings).unwrap();
        // By this name the directory is in its command line, so it is ended with the test.
        let rpcbind = self.text("rpcbind");
        std::os::unix::fs::symlink("/usr/sbin/rpcbind", &rpcbind).unwrap();
        // The server registers itself at rpcbind, whose socket is below /run.
        let script = format!(
            "mount -t tmpfs none /run; mkdir /run/ganesha; ip link set lo up; {rpcbind} -f & \
             until [ -S /run/rpcbind.sock ]; do sleep 0.02; done; echo $$ > {holder}; \
             exec ganesha.nfsd -F -f {} -L {} -p {} -N WARN",
            self.text("ganesha.conf"),
            self.text("ganesha.log"),
            self.text("ganesha.pid"),
        );
        self.spawn("unshare", &["-n", "-m", "sh", "-c", &script]);
        let network = Path::new("/proc").join(self.process_in("holder")).join("ns/net");
        until("server", || PORTS.iter().all(|port| connect_in(&network, *port).is_ok()));
        let client = |client: &&str| {
            let [nfs, mount] = PORTS.map(|port| connect_in(&network, port).unwrap());
            FuseMount::new(Nfs::mount(mount, nfs, &data).unwrap(), &self.path(client))
        };
        clients.iter().map(client).collect()
    }
}

/// Connects to a port of this machine in another network namespace.
fn connect_in(network: &Path, port: u16) -> io::Result<TcpStream> {
    let file = File::open(network)?;
    // A thread of its own enters the namespace, so that all others stay where they are.
    let connect = move || {
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
        TcpStream::connect(("127.0.0.1", port))
    };
    std::thread::spawn(connect).join().unwrap()
}
