//! A rank that starts MPI, waits once for all ranks, and ends: what any MPI program costs before its work.
//!
//! `bare_mpi LIBRARY` under `mpiexec`. Rank 0 prints `ops 1 seconds S`, the seconds in that wait.
#![allow(unsafe_code, clippy::print_stdout)]

use std::error::Error;
use std::ptr;
use std::time::Instant;

use ffi::mpi::{MpiLibrary, Status};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("give the path of the MPI library")?;
    let mpi = MpiLibrary::load(std::path::Path::new(&path)).map_err(|why| why.to_string())?;
    let (calls, world) = (&mpi.functions, mpi.constants.comm_world);
    let (mut given, mut rank, mut request) = (0, 0, 0);
    // SAFETY: MPI was not started before, accepts null in place of the arguments, and is not ended yet. All
    // other pointers are to locals, which live until the calls that use them have returned.
    let seconds = unsafe {
        (calls.init_thread)(ptr::null_mut(), ptr::null_mut(), mpi.constants.thread_funneled, &mut given);
        (calls.comm_rank)(world, &mut rank);
        let begun = Instant::now();
        (calls.ibarrier)(world, &mut request);
        (calls.wait)(&mut request, &mut Status::new());
        let seconds = begun.elapsed().as_secs_f64();
        (calls.finalize)();
        seconds
    };
    if rank == 0 {
        println!("ops 1 seconds {seconds}");
    }
    Ok(())
}
