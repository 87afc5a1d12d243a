//! File systems whose servers run on this machine, on free ports or in a network namespace of their own.

use std::fs;
use std::net::TcpStream;

use super::OwnDirectory;
use super::network::Network;
use crate::common::campaign::until;
use crate::common::ports;
use crate::common::system::{done, prepare_sshd, quiet};

/// The address of the servers of MooseFS, which take none that begins with 127.
const ADDRESS: &str = "10.44.0.1";

impl OwnDirectory {
    pub(super) fn sshfs(&self, clients: &[&str]) {
        let (data, port) = (self.directory("data"), ports::free(1).to_string());
        let options = prepare_sshd(&self.path(""), &format!("Port {port}\nListenAddress 127.0.0.1"));
        self.spawn("/usr/sbin/sshd", &["-D", "-e", "-f", &self.text("sshd.conf")]);
        until("server", || TcpStream::connect(format!("127.0.0.1:{port}")).is_ok());
        let options = format!("port={port},{options}");
        for client in clients {
            done("sshfs", &["-o", &options, &format!("root@127.0.0.1:{data}"), &self.text(client)]);
            self.wait_for_mount(client);
        }
    }

    pub(super) fn moosefs(&self, clients: &[&str]) {
        let network = Network::new(self, "servers");
        network.run(&["ip", "addr", "add", &format!("{ADDRESS}/32"), "dev", "lo"]);

        let (meta, exports, topology) = (self.directory("meta"), self.text("exports"), self.text("topology"));
        fs::write(&exports, "* / rw,alldirs,maproot=0:0\n").unwrap();
        fs::write(&topology, "").unwrap();
        fs::write(self.path("meta/metadata.mfs"), "MFSM NEW").unwrap();
        let own = "WORKING_USER = root\nWORKING_GROUP = root\nLOCK_MEMORY = 0\nNICE_LEVEL = 0\n";
        let listen: String =
            ["MATOML", "MATOCS", "MATOCL"].map(|kind| format!("{kind}_LISTEN_HOST = {ADDRESS}\n")).concat();
        let settings = format!(
            "{own}{listen}DATA_PATH = {meta}\nEXPORTS_FILENAME = {exports}\nTOPOLOGY_FILENAME = {topology}\n"
        );
        fs::write(self.path("master.cfg"), settings).unwrap();
        network.run(&["mfsmaster", "-c", &self.text("master.cfg"), "start"]);
        for number in 1..=2 {
            let (meta, data) = (self.directory(&format!("c{number}")), self.directory(&format!("d{number}")));
            let (disks, config) =
                (self.text(&format!("disks{number}")), self.text(&format!("c{number}.cfg")));
            fs::write(&disks, format!("{data}\n")).unwrap();
            let settings = format!(
                "{own}DATA_PATH = {meta}\nHDD_CONF_FILENAME = {disks}\nMASTER_HOST = {ADDRESS}\n\
                 CSSERV_LISTEN_HOST = {ADDRESS}\nCSSERV_LISTEN_PORT = 942{}\n",
                number + 4
            );
            fs::write(&config, settings).unwrap();
            network.run(&["mfschunkserver", "-c", &config, "start"]);
        }
        for client in clients {
            network.run(&["mfsmount", &self.text(client), "-H", ADDRESS]);
            self.wait_for_mount(client);
        }
        let mount = self.text("m");
        // A chunk server reports its space some time after it has started.
        until("space", || rustix::fs::statvfs(&mount).is_ok_and(|facts| facts.f_bavail > 0));
        let first = self.text("m/first");
        until("a written file", || {
            quiet("dd", &["if=/dev/zero", &format!("of={first}"), "bs=1", "count=1", "conv=fsync"])
        });
        fs::remove_file(first).unwrap();
    }
}
