//! `--dryRun`: counts what a run would do. Nothing is opened, created or removed.

use command::mdtest::{ItemCounts, Request};
use units::{Usage, bytes_binary, several};

use command::mdtest::Parsed;

/// The text for a run on `ranks` ranks.
pub(crate) fn text(parsed: &Parsed, ranks: u32) -> Result<String, Usage> {
    let parameters = &parsed.request;
    let counts = ItemCounts::from_request(parameters).ok_or_else(|| {
        Usage::new("the tree has too many directories and items to count. Reduce -z, -b, -I or -n.")
    })?;
    let mut text = format!(
        "Dry run: nothing is opened, made or removed.\nBackend {}, in {}\n",
        parameters.backend,
        parameters.dirs.join(", ")
    );
    for ranks in parameters.numbers_of_ranks(ranks) {
        text.push_str(&run(parameters, &counts, u64::from(ranks)));
    }
    Ok(text)
}

/// The part for one number of ranks.
fn run(parameters: &Request, counts: &ItemCounts, ranks: u64) -> String {
    let trees = counts.loops * if parameters.unique_dir { ranks } else { 1 };
    let (directories, items) = (trees * counts.directories, ranks * counts.items());
    // The names of shared files have no rank.
    let files = if parameters.shared_file { counts.items() } else { items };
    let mut text = format!(
        "{ranks} ranks, {} iterations of:\n  {} with {}, of which {} hold items, {} of each rank\n",
        parameters.iterations,
        several(trees, "tree"),
        several(directories, "directory"),
        trees * counts.holders,
        counts.per_dir
    );
    if parameters.preload > 0 {
        let each = parameters.preload * trees * counts.holders;
        text.push_str(&line("Preload", &format!("{each} files, {} in each of these", parameters.preload)));
    }
    if parameters.create {
        text.push_str(&line("Tree creation", &several(directories, "directory")));
    }
    for (label, is_done, amount) in [
        ("Directory creation", parameters.directories && parameters.create, items),
        ("Directory stat", parameters.directories && parameters.stat, items),
        ("Directory rename", parameters.directories && parameters.rename, items),
        ("Directory removal", parameters.directories && parameters.remove, items),
        ("File creation", parameters.files && parameters.create, items),
        ("File stat", parameters.files && parameters.stat, items),
        ("File read", parameters.files && parameters.read, items),
        ("File removal", parameters.files && parameters.remove, files),
    ] {
        let bytes = match label {
            "File creation" => amount.saturating_mul(parameters.write_bytes),
            "File read" => amount.saturating_mul(parameters.read_bytes),
            _ => 0,
        };
        let moved = match bytes {
            0 => String::new(),
            bytes => format!(", {} bytes ({})", bytes, bytes_binary(bytes as f64)),
        };
        if is_done {
            text.push_str(&line(label, &format!("{amount} operations{moved}")));
        }
    }
    for name in &parameters.extra {
        text.push_str(&line(name, "over the same items"));
    }
    if parameters.remove {
        text.push_str(&line("Tree removal", &several(directories, "directory")));
    }
    if parameters.deadline > 0 {
        text.push_str(&format!("  Creating files stops after {} s.\n", parameters.deadline));
    }
    if parameters.create && !parameters.remove {
        let most =
            files * u64::from(parameters.files) + items * u64::from(parameters.directories) + directories;
        text.push_str(&format!(
            "  Nothing is removed: {most} files and directories stay after each iteration.\n"
        ));
    }
    text
}

fn line(what: &str, amount: &str) -> String {
    format!("  {what:<18}: {amount}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use command::classic::{self, ClassicLine};
    use command::mdtest::Parsed;

    fn dry_run(words: &str, ranks: u32) -> String {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        text(&classic::parse::<Parsed>(&tokens).unwrap().finished().unwrap(), ranks).unwrap()
    }

    #[test]
    fn the_acceptance_command_has_the_counts_of_the_reference() {
        let text = dry_run("-b 3 -v -z 3 -u -I 900 -k -i 4 -d DIR", 2);
        for line in [
            "2 ranks, 4 iterations of:\n",
            "\n  2 trees with 80 directories, of which 80 hold items, 900 of each rank\n",
            "\n  Tree creation     : 80 directories\n",
            "\n  Directory rename  : 72000 operations\n",
            "\n  File removal      : 72000 operations\n",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn bytes_and_remaining_files_are_counted() {
        let text = dry_run("-C -F -n 10 -w 3901 -z 1 -b 2 -L", 2);
        assert!(text.contains(": 20 operations, 78020 bytes (76.2 KiB)\n"), "{text}");
        assert!(text.contains("23 files and directories stay") && !text.contains("Directory"), "{text}");
        assert!(text.contains("\n  1 tree with 3 directories, of which 2 hold items"), "{text}");
        assert!(dry_run("-S -n 3", 4).contains("File removal      : 3 operations\n"));
        assert_eq!(dry_run("-n 1 -f 1 -l 3", 3).matches(" iterations of:").count(), 3);
    }
}
