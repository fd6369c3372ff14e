//! Prints the page of the book that lists what the sandbox plays.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]

fn main() {
    print!("{}", stead_sandbox::reference());
}
