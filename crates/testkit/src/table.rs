//! Tables of cases.

/// The cases of a table: one a line, with `=>` between what is given and what comes of it.
///
/// # Panics
/// If a line has another number of cells.
pub fn cases<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = table.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).map(|line| {
        let cells: Vec<&str> = line.split("=>").map(str::trim).collect();
        let cells = cells.try_into();
        cells.unwrap_or_else(|_| panic!("another number of cells: {line}"))
    })
}
