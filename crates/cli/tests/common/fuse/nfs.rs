//! A client of NFS version 3. Each call of the kernel is a call of the server.
//!
//! It keeps handles of files, but no data and no attributes. The kernel drops its own pages at each open.
//! Written data is flushed at `fsync` and `close`. The server does not know which files are open. So an open
//! file that loses its last name gets a hidden one, until it is closed. Other clients do the same.
//!
//! Invariant: no call waits for ever. After a call without an answer all others fail.

mod connection;
mod values;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::net::TcpStream;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use fuser::FileAttr;
use nfs3_client::nfs3_types::mount::dirpath;
use nfs3_client::nfs3_types::nfs3::{
    COMMIT3args, CREATE3args, FSSTAT3args, GETATTR3args, LINK3args, LOOKUP3args, MKDIR3args, Nfs3Option,
    Nfs3Result, READ3args, READDIRPLUS3args, READLINK3args, REMOVE3args, RENAME3args, RMDIR3args,
    SETATTR3args, SYMLINK3args, WRITE3args, cookieverf3, createhow3, diropargs3, fattr3, nfs_fh3,
    post_op_attr, post_op_fh3, sattr3, set_atime, set_mtime, stable_how, symlinkdata3, writeverf3,
};
use nfs3_client::nfs3_types::rpc::{auth_unix, opaque_auth};
use nfs3_client::nfs3_types::xdr_codec::Opaque;
use nfs3_client::{MountClient, Nfs3Client, RpcError};
use rustix::fs::OFlags;
use rustix::io::Errno;

use self::connection::{Connection, result};
use self::values::{attributes, kind, number, set, time};
use super::{Change, Listed, Made, Served, Space};

/// Most bytes of a read, a write or a part of a listing.
const PART_BYTES: usize = 1 << 20;

type Client = Nfs3Client<Connection>;

/// A file that the kernel knows.
struct Node {
    handle: nfs_fh3,
    /// How often it is open.
    opened: u64,
    /// The directory and the name under which it is hidden.
    hidden: Option<(nfs_fh3, Vec<u8>)>,
    /// The value that came with data that is not yet flushed. If another comes later, the server has lost it.
    unstable: Option<writeverf3>,
}

/// A mounted export.
pub struct Nfs {
    client: Client,
    is_lost: bool,
    nodes: HashMap<u64, Node>,
    hidden: u64,
}

impl Nfs {
    /// Mounts an export by a connection to each of the two services.
    pub fn mount(mount: TcpStream, nfs: TcpStream, export: &str) -> io::Result<Self> {
        let (root, none) = (opaque_auth::auth_unix(&auth_unix::default()), opaque_auth::default());
        let mut mounts = MountClient::new_with_auth(Connection::new(mount)?, root.clone(), none.clone());
        let path = dirpath(Opaque::borrowed(export.as_bytes()));
        let handle = nfs_fh3 { data: result(mounts.mnt(path)).map_err(io::Error::other)?.fhandle.0 };
        let client = Nfs3Client::new_with_auth(Connection::new(nfs)?, root, none);
        let root = Node { handle, opened: 0, hidden: None, unstable: None };
        Ok(Self { client, is_lost: false, nodes: HashMap::from([(1, root)]), hidden: 0 })
    }

    /// Makes a call. An error of the server is passed on.
    fn call<A, T, E>(
        &mut self,
        call: impl AsyncFnOnce(&mut Client, &A) -> Result<Nfs3Result<T, E>, RpcError>,
        args: &A,
    ) -> io::Result<T> {
        if self.is_lost {
            return Err(Errno::IO.into());
        }
        match result(call(&mut self.client, args)) {
            Ok(Nfs3Result::Ok(value)) => Ok(value),
            Ok(Nfs3Result::Err((status, _))) => Err(number(status).into()),
            Err(error) => {
                // A late answer would be taken for that of the next call.
                self.is_lost = true;
                Err(if let RpcError::Io(error) = error { error } else { Errno::PROTO.into() })
            }
        }
    }

    fn handle(&self, ino: u64) -> nfs_fh3 {
        self.nodes[&ino].handle.clone()
    }

    fn place<'n>(&self, parent: u64, name: &'n OsStr) -> diropargs3<'n> {
        diropargs3 { dir: self.handle(parent), name: name.as_bytes().into() }
    }

    /// The attributes that came with an answer, or else those that the server gives.
    fn facts(&mut self, handle: nfs_fh3, found: post_op_attr) -> io::Result<fattr3> {
        match found {
            Nfs3Option::Some(found) => Ok(found),
            Nfs3Option::None => {
                Ok(self.call(Client::getattr, &GETATTR3args { object: handle })?.obj_attributes)
            }
        }
    }

    /// Gives a file to the kernel.
    fn known(&mut self, handle: nfs_fh3, found: post_op_attr) -> io::Result<FileAttr> {
        let found = self.facts(handle.clone(), found)?;
        let new = || Node { handle: handle.clone(), opened: 0, hidden: None, unstable: None };
        let node = self.nodes.entry(found.fileid).or_insert_with(new);
        // The number may be that of a removed file.
        node.handle = handle;
        Ok(attributes(&found))
    }

    /// The same for something that was made now.
    fn made(
        &mut self,
        parent: u64,
        name: &OsStr,
        (handle, found): (post_op_fh3, post_op_attr),
    ) -> io::Result<FileAttr> {
        match handle {
            Nfs3Option::Some(handle) => self.known(handle, found),
            Nfs3Option::None => self.lookup(parent, name),
        }
    }

    /// Gives an open file a hidden name, if this is its last one.
    fn hide(&mut self, parent: u64, name: &OsStr) -> io::Result<()> {
        let found = match self.call(Client::lookup, &LOOKUP3args { what: self.place(parent, name) }) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        let facts = self.facts(found.object.clone(), found.obj_attributes)?;
        let dir = self.handle(parent);
        let Some(node) = self.nodes.get(&facts.fileid) else { return Ok(()) };
        let is_last = node.opened > 0 && node.hidden.is_none() && facts.nlink == 1;
        if !is_last || node.handle != found.object {
            return Ok(());
        }
        self.hidden += 1;
        let hidden = format!(".nfs{:016x}{:08x}", facts.fileid, self.hidden).into_bytes();
        let link = diropargs3 { dir: dir.clone(), name: hidden.clone().into() };
        self.call(Client::link, &LINK3args { file: found.object, link })?;
        self.nodes.entry(facts.fileid).and_modify(|node| node.hidden = Some((dir, hidden)));
        Ok(())
    }

    /// Flushes what was written.
    fn commit(&mut self, ino: u64) -> io::Result<()> {
        let Some(node) = self.nodes.get_mut(&ino) else { return Ok(()) };
        let Some(written) = node.unstable.take() else { return Ok(()) };
        let args = COMMIT3args { file: node.handle.clone(), offset: 0, count: 0 };
        let done = self.call(Client::commit, &args)?;
        if done.verf == written { Ok(()) } else { Err(Errno::IO.into()) }
    }
}

impl Served for Nfs {
    fn lookup(&mut self, parent: u64, name: &OsStr) -> io::Result<FileAttr> {
        let found = self.call(Client::lookup, &LOOKUP3args { what: self.place(parent, name) })?;
        self.known(found.object, found.obj_attributes)
    }

    fn forget(&mut self, ino: u64) {
        self.nodes.remove(&ino);
    }

    fn attributes(&mut self, ino: u64) -> io::Result<FileAttr> {
        let found = self.facts(self.handle(ino), Nfs3Option::None)?;
        Ok(FileAttr { ino, ..attributes(&found) })
    }

    fn change(&mut self, ino: u64, change: &Change) -> io::Result<FileAttr> {
        let mut new = sattr3 {
            mode: set(change.mode.map(|mode| mode & 0o7777)),
            uid: set(change.owner.0),
            gid: set(change.owner.1),
            size: set(change.size),
            ..sattr3::default()
        };
        if let Some(given) = change.times.0 {
            new.atime = time(given)?.map_or(set_atime::SET_TO_SERVER_TIME, set_atime::SET_TO_CLIENT_TIME);
        }
        if let Some(given) = change.times.1 {
            new.mtime = time(given)?.map_or(set_mtime::SET_TO_SERVER_TIME, set_mtime::SET_TO_CLIENT_TIME);
        }
        let (object, guard) = (self.handle(ino), Nfs3Option::None);
        self.call(Client::setattr, &SETATTR3args { object, new_attributes: new, guard })?;
        self.attributes(ino)
    }

    fn make(&mut self, parent: u64, name: &OsStr, made: &Made<'_>) -> io::Result<FileAttr> {
        let place = self.place(parent, name);
        let done = match made {
            Made::Directory(mode) => {
                let new = sattr3 { mode: Nfs3Option::Some(mode & 0o7777), ..sattr3::default() };
                let done = self.call(Client::mkdir, &MKDIR3args { where_: place, attributes: new })?;
                (done.obj, done.obj_attributes)
            }
            Made::Symlink(target) => {
                let target = target.as_os_str().as_bytes().into();
                let symlink = symlinkdata3 { symlink_attributes: sattr3::default(), symlink_data: target };
                let done = self.call(Client::symlink, &SYMLINK3args { where_: place, symlink })?;
                (done.obj, done.obj_attributes)
            }
            Made::Link(ino) => {
                let done = self.call(Client::link, &LINK3args { file: self.handle(*ino), link: place })?;
                (Nfs3Option::Some(self.handle(*ino)), done.file_attributes)
            }
        };
        self.made(parent, name, done)
    }

    fn target(&mut self, ino: u64) -> io::Result<PathBuf> {
        let found = self.call(Client::readlink, &READLINK3args { symlink: self.handle(ino) })?;
        Ok(OsString::from_vec(found.data.0.into_owned()).into())
    }

    fn create(&mut self, parent: u64, name: &OsStr, mode: u32, flags: i32) -> io::Result<(FileAttr, u64)> {
        let flags = OFlags::from_bits_retain(flags as u32);
        let size = set(flags.contains(OFlags::TRUNC).then_some(0));
        let new = sattr3 { mode: Nfs3Option::Some(mode & 0o7777), size, ..sattr3::default() };
        let is_exclusive = flags.contains(OFlags::EXCL);
        let how = if is_exclusive { createhow3::GUARDED(new) } else { createhow3::UNCHECKED(new) };
        let done = self.call(Client::create, &CREATE3args { where_: self.place(parent, name), how })?;
        let made = self.made(parent, name, (done.obj, done.obj_attributes))?;
        self.nodes.entry(made.ino).and_modify(|node| node.opened += 1);
        Ok((made, made.ino))
    }

    fn open(&mut self, ino: u64, _: i32) -> io::Result<u64> {
        // If it was removed since the kernel looked it up, the kernel looks it up again.
        self.attributes(ino)?;
        self.nodes.entry(ino).and_modify(|node| node.opened += 1);
        Ok(ino)
    }

    fn read(&mut self, ino: u64, _: u64, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let mut data = Vec::with_capacity(bytes);
        while data.len() < bytes {
            let count = (bytes - data.len()).min(PART_BYTES) as u32;
            let (file, offset) = (self.handle(ino), offset + data.len() as u64);
            let part = self.call(Client::read, &READ3args { file, offset, count })?;
            data.extend_from_slice(&part.data);
            if part.eof || part.data.is_empty() {
                break;
            }
        }
        Ok(data)
    }

    fn write(&mut self, ino: u64, _: u64, mut offset: u64, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            let part = &data[..data.len().min(PART_BYTES)];
            let (file, count, stable) = (self.handle(ino), part.len() as u32, stable_how::UNSTABLE);
            let args = WRITE3args { file, offset, count, stable, data: part.into() };
            let done = self.call(Client::write, &args)?;
            let written = (done.count as usize).min(part.len());
            if written == 0 {
                return Err(Errno::IO.into());
            }
            (offset, data) = (offset + written as u64, &data[written..]);
            if let (stable_how::UNSTABLE, Some(node)) = (done.committed, self.nodes.get_mut(&ino)) {
                node.unstable.get_or_insert(done.verf);
            }
        }
        Ok(())
    }

    fn flush(&mut self, ino: u64, _: u64) -> io::Result<()> {
        self.commit(ino)
    }

    fn fsync(&mut self, ino: u64, _: u64) -> io::Result<()> {
        self.commit(ino)
    }

    fn release(&mut self, handle: u64) {
        let Some(node) = self.nodes.get_mut(&handle) else { return };
        node.opened -= 1;
        if let Some((dir, name)) = node.hidden.take_if(|_| node.opened == 0) {
            let _ = self.call(Client::remove, &REMOVE3args { object: diropargs3 { dir, name: name.into() } });
        }
    }

    fn list(&mut self, ino: u64) -> io::Result<Vec<Listed>> {
        let (mut names, mut cookie, mut cookieverf) = (Vec::new(), 0, cookieverf3::default());
        loop {
            let (dir, bytes) = (self.handle(ino), PART_BYTES as u32);
            let args = READDIRPLUS3args { dir, cookie, cookieverf, dircount: bytes, maxcount: bytes };
            let part = self.call(Client::readdirplus, &args)?;
            cookieverf = part.cookieverf;
            let entries = part.reply.entries.into_inner();
            cookie = entries.last().map_or(cookie, |last| last.cookie);
            let is_end = part.reply.eof || entries.is_empty();
            for entry in entries {
                // Without attributes it was removed meanwhile.
                let Nfs3Option::Some(found) = entry.name_attributes else { continue };
                names.push((entry.fileid, kind(found.type_), OsString::from_vec(entry.name.0.into_owned())));
            }
            if is_end {
                return Ok(names);
            }
        }
    }

    fn remove(&mut self, parent: u64, name: &OsStr, is_directory: bool) -> io::Result<()> {
        if is_directory {
            return self.call(Client::rmdir, &RMDIR3args { object: self.place(parent, name) }).map(drop);
        }
        self.hide(parent, name)?;
        self.call(Client::remove, &REMOVE3args { object: self.place(parent, name) }).map(drop)
    }

    fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr), flags: u32) -> io::Result<()> {
        if flags != 0 {
            return Err(Errno::INVAL.into());
        }
        self.hide(to.0, to.1)?;
        let (from, to) = (self.place(from.0, from.1), self.place(to.0, to.1));
        self.call(Client::rename, &RENAME3args { from, to }).map(drop)
    }

    fn space(&mut self) -> io::Result<Space> {
        let found = self.call(Client::fsstat, &FSSTAT3args { fsroot: self.handle(1) })?;
        Ok([found.tbytes / 4096, found.abytes / 4096, found.tfiles, found.ffiles])
    }
}
