//! Describes the machine that draws. A software driver generates code for the CPU, so the result also depends on the
//! CPU.

use std::fmt;

/// The adapter with its driver, and the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Description of the adapter with backend and driver version, from
    /// [`Gpu::describe`](crate::render::Gpu::describe). `None` if nothing was drawn.
    pub adapter: Option<String>,
    /// Class of the adapter, from [`Gpu::class`](crate::render::Gpu::class).
    pub class: Option<String>,
    /// Name of the CPU, as the operating system reports it.
    pub processor: String,
}

impl Machine {
    /// Describes this machine. `adapter` is the description of its adapter.
    pub fn new(adapter: Option<String>) -> Self {
        Self { adapter, class: None, processor: processor() }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, on {}", self.adapter.as_deref().unwrap_or("no adapter"), self.processor)
    }
}

/// Returns the name of the CPU as Linux or Windows reports it, or otherwise its architecture.
fn processor() -> String {
    let linux = || parse_cpuinfo(&std::fs::read_to_string("/proc/cpuinfo").ok()?);
    let windows = || std::env::var("PROCESSOR_IDENTIFIER").ok();
    linux().or_else(windows).unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// Returns the name of the first processor in Linux's `/proc/cpuinfo`. On x86, the family and model are added, because the model name alone
/// may be as vague as "AMD EPYC". On 64-bit Arm, only numbers are available.
fn parse_cpuinfo(info: &str) -> Option<String> {
    let field = |key: &str| {
        let mut pairs = info.lines().filter_map(|line| line.split_once(':'));
        pairs.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
    };
    if let Some(name) = field("model name") {
        return Some(match (field("cpu family"), field("model")) {
            (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
            _ => name.to_owned(),
        });
    }
    let (implementer, part) = (field("CPU implementer")?, field("CPU part")?);
    Some(format!("{} (implementer {implementer}, part {part})", std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_name_is_parsed() {
        let x86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n\
            model name\t: AMD EPYC\n\nprocessor\t: 1\ncpu family\t: 7\nmodel name\t: other\n";
        assert_eq!(parse_cpuinfo(x86).as_deref(), Some("AMD EPYC (family 26, model 2)"));
        assert_eq!(
            parse_cpuinfo("model name : ARMv7 Processor rev 4 (v7l)\n").unwrap(),
            "ARMv7 Processor rev 4 (v7l)"
        );
        let arm = parse_cpuinfo("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n").unwrap();
        assert!(arm.ends_with(" (implementer 0x41, part 0xd0c)"), "{arm}");
        assert_eq!(parse_cpuinfo("BogoMIPS : 50\n"), None);
    }

    #[test]
    fn a_machine_without_an_adapter_is_described() {
        let machine = Machine { adapter: None, class: None, processor: "a CPU".into() };
        assert_eq!(machine.to_string(), "no adapter, on a CPU");
        assert!(!Machine::new(None).processor.is_empty());
    }
}
