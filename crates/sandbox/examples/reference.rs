//! Prints the book's page about the parts that the sandbox plays.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]

fn main() {
    print!("{}", stead_sandbox::reference());
}
