//! Signatures of archives with SSH keys: those of assay are accepted by ssh-keygen, and the other way round.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::campaign::{Place, WRITTEN_AND_COMPARED, there};

/// A place with an ended campaign and a key of each type, `None` without ssh-keygen.
fn place() -> Option<Place> {
    if !there("ssh-keygen") {
        return None;
    }
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    for (name, kind, passphrase) in [
        ("seller", "ed25519", ""),
        ("buyer", "ecdsa", ""),
        ("auditor", "rsa", ""),
        ("locked", "ed25519", "words"),
    ] {
        keygen(&place, &["-q", "-t", kind, "-N", passphrase, "-C", name, "-f", name]);
    }
    let line =
        |name: &str| format!("{name} {}", fs::read_to_string(place.path(&format!("{name}.pub"))).unwrap());
    fs::write(place.path("allowed"), ["seller", "buyer", "auditor"].map(line).concat()).unwrap();
    Some(place)
}

fn keygen(place: &Place, words: &[&str]) {
    let mut command = Command::new("ssh-keygen");
    command.args(words).current_dir(place.path("")).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(command.stderr(Stdio::null()).status().unwrap().success(), "{words:?}");
}

/// Whether ssh-keygen accepts the signature of `signer`.
fn is_accepted(place: &Place, signature: &str, signer: &str) -> bool {
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", "verify", "-f", "allowed", "-I", signer, "-n", "assay", "-s", signature]);
    command.current_dir(place.path("")).stdin(File::open(place.path("a.tgz")).unwrap());
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

#[test]
fn ssh_keygen_accepts_the_signatures_of_pack_and_verify_names_every_signer() {
    let Some(place) = place() else { return };
    let folder = place.folder().display().to_string();
    let packed = place.assay(&format!("pack {folder} -o a.tgz --sign seller --sign buyer")).ok();
    assert!(packed.contains("Signature:     a.tgz.sig\nSignature:     a.tgz.2.sig\n"), "{packed}");
    for (signature, signer) in [("a.tgz.sig", "seller"), ("a.tgz.2.sig", "buyer")] {
        assert!(is_accepted(&place, signature, signer), "{signature}");
    }
    assert!(!is_accepted(&place, "a.tgz.sig", "buyer"));
    let out = place.assay("verify a.tgz --allowed-signers allowed").ok();
    let signed: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("Signed by:     ")).collect();
    assert_eq!(signed.len(), 2, "{out}");
    for (signer, kind) in [("seller", "ssh-ed25519"), ("buyer", "ecdsa-sha2-nistp256")] {
        let begin = format!("{signer} ({kind} SHA256:");
        assert!(signed.iter().any(|line| line.starts_with(&begin)), "{out}");
    }
    // Without a list the keys are known, but not their owners.
    assert_eq!(place.assay("verify a.tgz").ok().matches("Signed with:   ").count(), 2);
}

#[test]
fn verify_accepts_a_signature_of_ssh_keygen() {
    let Some(place) = place() else { return };
    place.assay(&format!("pack {} -o a.tgz --sign seller", place.folder().display())).ok();
    fs::rename(place.path("a.tgz.sig"), place.path("a.tgz.seller.sig")).unwrap();
    for signer in ["buyer", "auditor"] {
        keygen(&place, &["-Y", "sign", "-n", "assay", "-f", signer, "a.tgz"]);
        fs::rename(place.path("a.tgz.sig"), place.path(&format!("a.tgz.{signer}.sig"))).unwrap();
    }
    let out = place.assay("verify a.tgz --allowed-signers allowed").ok();
    assert_eq!(out.matches("Signed by:     ").count(), 3, "{out}");
    let out = place.assay("verify a.tgz --signature a.tgz.buyer.sig --allowed-signers allowed").ok();
    assert!(out.contains("Signed by:     buyer (") && !out.contains("seller"), "{out}");
}

/// `verify` finds the signature wrong, and does not call the archive intact.
fn rejected(place: &Place, words: &str, why: &str) {
    let ran = place.assay(&format!("verify a.tgz {words}"));
    assert!(ran.status == Some(3) && ran.out.contains(why), "{words}: {ran:#?}");
    assert!(!ran.out.contains(" is intact"), "{ran:#?}");
}

#[test]
fn a_signature_of_another_file_or_purpose_or_person_is_not_accepted() {
    let Some(place) = place() else { return };
    let folder = place.folder().display().to_string();
    place.assay(&format!("pack {folder} -o a.tgz")).ok();
    let list = "--allowed-signers allowed";
    rejected(&place, list, "no signature is by a signer in allowed");
    // Another file.
    fs::write(place.path("other"), "other").unwrap();
    keygen(&place, &["-Y", "sign", "-n", "assay", "-f", "seller", "other"]);
    rejected(&place, "--signature other.sig", "other.sig is not a signature of this archive");
    // Another purpose.
    keygen(&place, &["-Y", "sign", "-n", "file", "-f", "seller", "a.tgz"]);
    rejected(&place, "", "a.tgz.sig is for the namespace file, not assay");
    fs::remove_file(place.path("a.tgz.sig")).unwrap();
    // Another person.
    keygen(&place, &["-q", "-t", "ed25519", "-N", "", "-f", "stranger"]);
    keygen(&place, &["-Y", "sign", "-n", "assay", "-f", "stranger", "a.tgz"]);
    rejected(&place, list, "no signature is by a signer in allowed");
    // Something else.
    fs::write(place.path("a.tgz.sig"), "none").unwrap();
    rejected(&place, "", "a.tgz.sig is not a signature: ");
}

#[test]
fn a_key_that_cannot_sign_is_rejected_before_anything_is_packed() {
    let Some(place) = place() else { return };
    let folder = place.folder().display().to_string();
    for (key, why) in [
        ("locked", "ssh-keygen -Y sign -n assay -f locked"),
        ("auditor", "ssh-keygen -Y sign"),
        ("none", "not a file"),
        ("seller.pub", "private SSH key"),
    ] {
        let ran = place.assay(&format!("pack {folder} -o a.tgz --sign {key}"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.contains(why) && !Path::new(&place.path("a.tgz")).exists(), "{ran:#?}");
    }
    let ran = place.assay(&format!("pack {folder} -o a.tgz --sign seller --anyway"));
    assert_eq!(ran.status, Some(2), "an archive that does not verify is not signed");
    let ran = place.assay(&format!("verify {folder} --signature a.tgz.sig"));
    assert_eq!(ran.status, Some(2), "a folder has no signature");
}
