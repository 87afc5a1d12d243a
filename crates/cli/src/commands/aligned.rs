//! Columns of plain text for a terminal.

/// A line for each row. All columns but the last are as wide as their widest text.
pub(super) fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let (last, others) = row.split_last().expect("a table has columns");
        others.iter().zip(widths).for_each(|(word, width)| text += &format!("{word:<width$}  "));
        text += last;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_at_the_same_letter_and_the_last_is_not_filled() {
        let rows = [["a", "bb", "c"], ["ä2", "b", "cc"]].map(|row| row.map(str::to_owned));
        assert_eq!(aligned(&rows), "a   bb  c\nä2  b   cc\n");
        assert_eq!(aligned::<2>(&[]), "");
    }
}
