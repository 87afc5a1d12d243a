//! What is answered at all, and the headers of every answer.
//!
//! A page of a stranger may send a browser of this machine to a name that leads here. The browser then names
//! that stranger as the host. So on a loopback address only names of this machine are answered.
//!
//! Invariant: only GET and HEAD are answered. An answer without a page is one line of text.
//! Never here: pages.

use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, REFERRER_POLICY,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;

use super::is_loopback;

/// The headers of every answer. The pages need their own style, and nothing else.
const HEADERS: [(HeaderName, &str); 5] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// After this time a client may ask again for a page that is still being made, seconds.
const RETRY_AFTER_S: &str = "5";

/// Answers a request that is not allowed, and passes the others on.
pub(super) async fn guard(State(is_local): State<bool>, request: Request, next: Next) -> Response {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let mut response = if is_local && !names_this_machine(request.headers(), request.uri()) {
        let what = "This server answers only as localhost. Use http://localhost and its port.";
        line(StatusCode::FORBIDDEN, what)
    } else if !is_read {
        let mut response = line(StatusCode::METHOD_NOT_ALLOWED, "This server is read-only.");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        response
    } else {
        next.run(request).await
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// An answer of one line.
pub(super) fn line(status: StatusCode, text: &str) -> Response {
    let text = format!("{}\n", units::visible(text));
    let mut response = (status, text).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_S));
    }
    response
}

/// Whether a request is for a name of this machine that no name server gives.
fn names_this_machine(headers: &HeaderMap, address: &Uri) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    let is_only = hosts.next().is_none();
    is_only && host.is_some_and(is_local) && address.authority().is_none_or(|name| is_local(name.as_str()))
}

/// Whether a host with or without a port is `localhost` or a loopback address.
fn is_local(host: &str) -> bool {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    };
    let within = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let address = match within {
        Some(name) => name.parse().ok().map(IpAddr::V6),
        None => name.parse().ok().map(IpAddr::V4),
    };
    name.eq_ignore_ascii_case("localhost") || address.is_some_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:7118", "[::1]:7118", "[::1]"] {
            assert!(is_local(host), "{host}");
        }
        let strangers = [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "evil.example:80",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "localhost:80@evil.example",
            "evil@localhost",
            "localhost:80:80",
            "::1",
            "[::2]",
            "[127.0.0.1]",
            "0x7f.1",
            "localhost ",
        ];
        for host in strangers {
            assert!(!is_local(host), "{host}");
        }
    }

    #[test]
    fn a_second_host_and_an_address_with_another_host_are_rejected() {
        let uri = |text: &str| text.parse::<Uri>().unwrap();
        let mut headers = HeaderMap::new();
        assert!(!names_this_machine(&headers, &uri("/")), "there is no host");
        headers.append(HOST, HeaderValue::from_static("localhost"));
        assert!(names_this_machine(&headers, &uri("/")));
        assert!(names_this_machine(&headers, &uri("http://localhost:7118/")));
        assert!(!names_this_machine(&headers, &uri("http://evil.example/")));
        headers.append(HOST, HeaderValue::from_static("localhost"));
        assert!(!names_this_machine(&headers, &uri("/")));
    }
}
