//! A Chromium without a window, which a test drives by its debugging protocol. Every wait has a limit.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use super::campaign::{skipped, until};

/// The longest wait for an answer.
const ANSWER: Duration = Duration::from_secs(60);
/// A directory for pictures of the pages that tests walk through, for people. Without it none are taken.
const PICTURES: &str = "ASSAY_TEST_PICTURES";
/// Messages end with this byte.
const END: u8 = 0;

/// A running browser with one page. It ends when it is dropped.
pub struct Browser {
    child: Child,
    answers: Receiver<Value>,
    session: String,
    calls: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts Chromium. Prints why not, and returns `None`, if there is none on the PATH.
    pub fn start() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
        let mut places = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
        let Some(program) = places.find(|place| place.is_file()) else {
            skipped("no Chromium on the PATH; `cargo xtask setup` installs it");
            return None;
        };
        Some(Self::of(&program))
    }

    fn of(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // Messages are read from descriptor 3 and written to descriptor 4.
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#]).arg(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(END, &mut message).is_ok_and(|length| length > 0) {
                let value = serde_json::from_slice(message.strip_suffix(&[END]).unwrap_or(&message));
                message.clear();
                if value.is_ok_and(|value: Value| sender.send(value).is_err()) {
                    return;
                }
            }
        });
        let mut browser = Self { child, answers, session: String::new(), calls: 0, _profile: profile };
        let page = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        browser.session =
            browser.call("Target.attachToTarget", &attach)["sessionId"].as_str().unwrap().into();
        browser.resize(1280, 900);
        browser
    }

    /// Calls a method of the protocol. Returns its result.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let answer = self.answer(method, parameters);
        assert_eq!(answer["error"], Value::Null, "{method} {parameters}");
        answer["result"].clone()
    }

    /// Calls a method of the protocol. Returns its whole answer.
    fn answer(&mut self, method: &str, parameters: &Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(END);
        self.child.stdin.as_mut().unwrap().write_all(&bytes).unwrap();
        loop {
            let answer =
                self.answers.recv_timeout(ANSWER).unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == json!(self.calls) {
                return answer;
            }
        }
    }

    /// Gives the page this size, in pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// The value of a JavaScript expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", &parameters);
        assert_eq!(answer["exceptionDetails"], Value::Null, "{expression}");
        answer["result"]["value"].clone()
    }

    /// The value of an expression that is a text.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression}: {value}")).replace('\u{a0}', " ")
    }

    /// Opens a page and waits until it is there.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", &json!({ "url": address }));
        self.arrived(address);
    }

    /// Waits until the page with this part in its address is there.
    pub fn arrived(&mut self, part: &str) {
        let wanted = format!("location.href.includes({}) && document.readyState == 'complete'", json!(part));
        let wanted = json!({ "expression": wanted, "returnByValue": true });
        // During the change to another page the answer can be an error.
        until(part, || self.answer("Runtime.evaluate", &wanted)["result"]["result"]["value"] == json!(true));
    }

    /// Moves the mouse to the middle of the first element that a selector of CSS names, and returns the
    /// place. The page scrolls there.
    pub fn hover(&mut self, selector: &str) -> [f64; 2] {
        let place = self.value(&format!(
            "(() => {{ const one = document.querySelector({}); if (!one) return null; \
             one.scrollIntoView({{ block: 'center', inline: 'center' }}); \
             const box = one.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        let place: [f64; 2] = serde_json::from_value(place).unwrap_or_else(|_| panic!("no {selector}"));
        self.mouse("mouseMoved", place);
        place
    }

    /// Clicks on the first element that a selector of CSS names.
    pub fn click(&mut self, selector: &str) {
        let place = self.hover(selector);
        self.mouse("mousePressed", place);
        self.mouse("mouseReleased", place);
    }

    fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", &event);
    }

    /// What a browser shows beside the mouse at the place of [`Self::hover`]: the title of the element
    /// there, or of the nearest one around it.
    pub fn tooltip(&mut self, [x, y]: [f64; 2]) -> String {
        self.text(&format!(
            "(() => {{ for (let one = document.elementFromPoint({x}, {y}); one; one = one.parentElement) {{ \
             const title = one.querySelector(':scope > title'); if (title) return title.textContent; }} \
             return ''; }})()"
        ))
    }

    /// Takes a picture of the window, if pictures are wanted.
    pub fn picture(&mut self, name: &str) {
        let Some(dir) = std::env::var_os(PICTURES).map(PathBuf::from) else { return };
        let picture = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let encoded = dir.join(format!("{name}.base64"));
        std::fs::write(&encoded, picture["data"].as_str().unwrap()).unwrap();
        let decoded = Command::new("base64").arg("-d").arg(&encoded).output().unwrap();
        std::fs::write(dir.join(format!("{name}.png")), decoded.stdout).unwrap();
        std::fs::remove_file(encoded).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}
