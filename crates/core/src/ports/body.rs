//! Bodies of requests and responses.

use std::{fmt, pin::Pin, task};

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;

use super::{BoxError, TransportError, TransportErrorKind};

/// A body: empty, bytes in memory, or a stream that is passed on in chunks.
///
/// If the transport causes a stream's error, it's a boxed [`TransportError`].
#[derive(Default)]
pub enum Body {
    /// No bytes.
    #[default]
    Empty,
    /// All bytes, in memory.
    Bytes(Bytes),
    /// A stream of bytes.
    Stream(UnsyncBoxBody<Bytes, BoxError>),
}

impl Body {
    /// Wraps any body whose errors can be boxed.
    pub fn stream<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        use http_body_util::BodyExt as _;
        Self::Stream(UnsyncBoxBody::new(body.map_err(Into::into)))
    }

    /// Collects the body if it has at most `limit` bytes.
    ///
    /// # Errors
    /// [`TransportErrorKind::TooLarge`] past the limit, the stream's own error, or [`TransportErrorKind::Cut`].
    pub async fn collect(self, limit: u64) -> Result<Bytes, TransportError> {
        self.collect_within(limit, |_| Ok(())).await
    }

    /// The same, but calls `take` before it keeps more bytes.
    pub(crate) async fn collect_within<E: From<TransportError>>(
        self,
        limit: u64,
        mut take: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Bytes, E> {
        use http_body::Body as _;
        use http_body_util::BodyExt as _;
        let too_large = || {
            TransportError::new(
                TransportErrorKind::TooLarge,
                format!("the body is larger than {limit} bytes"),
            )
        };
        let mut stream = match self {
            Self::Empty => return Ok(Bytes::new()),
            Self::Bytes(bytes) if bytes.len() as u64 > limit => return Err(too_large().into()),
            Self::Bytes(bytes) => return take(bytes.len() as u64).map(|()| bytes),
            Self::Stream(stream) => stream,
        };
        let declared = stream.size_hint().lower();
        if declared > limit {
            return Err(too_large().into());
        }
        // Takes a declared length immediately, and any other length as bytes arrive.
        take(declared)?;
        let (mut length, mut taken) = (0, declared);
        let mut first: Option<Bytes> = None;
        let mut rest: Vec<u8> = Vec::new();
        while let Some(frame) = stream.frame().await {
            let Ok(data) = frame.map_err(from_stream)?.into_data() else {
                continue;
            };
            length += data.len() as u64;
            if length > limit {
                return Err(too_large().into());
            }
            if length > taken {
                take(length - taken)?;
                taken = length;
            }
            match first.take() {
                None if rest.is_empty() => first = Some(data),
                None => rest.extend_from_slice(&data),
                Some(first) => {
                    let whole = usize::try_from(declared).unwrap_or_default();
                    rest.reserve(whole.max(first.len() + data.len()));
                    rest.extend_from_slice(&first);
                    rest.extend_from_slice(&data);
                }
            }
        }
        Ok(first.unwrap_or_else(|| rest.into()))
    }

    /// Reads until `least` bytes or the whole body are in memory. Returns these bytes and the unchanged body.
    #[cfg(feature = "platform")]
    pub(crate) async fn peek(self, least: usize) -> Result<(Bytes, Self), TransportError> {
        self.peek_edited(least, |seen| seen).await
    }

    /// The same, but `edit` replaces these bytes in the returned body.
    #[cfg(feature = "platform")]
    pub(crate) async fn peek_edited(
        self,
        least: usize,
        edit: impl FnOnce(Bytes) -> Bytes,
    ) -> Result<(Bytes, Self), TransportError> {
        use futures_util::{StreamExt as _, TryStreamExt as _};
        use http_body_util::{BodyExt as _, Full};
        let mut stream = match self {
            Self::Empty => return Ok((Bytes::new(), Self::Empty)),
            Self::Bytes(bytes) => {
                let bytes = edit(bytes);
                return Ok((bytes.clone(), Self::Bytes(bytes)));
            }
            Self::Stream(stream) => stream,
        };
        let mut seen = Vec::new();
        while seen.len() < least {
            match stream.frame().await {
                None => {
                    let seen = edit(seen.into());
                    return Ok((seen.clone(), seen.into()));
                }
                Some(frame) => {
                    if let Ok(data) = frame.map_err(from_stream)?.into_data() {
                        seen.extend_from_slice(&data);
                    }
                }
            }
        }
        let seen = edit(seen.into());
        let frames = Full::new(seen.clone()).map_err(|never| match never {});
        let rest = frames.into_data_stream().chain(stream.into_data_stream());
        let whole = http_body_util::StreamBody::new(rest.map_ok(http_body::Frame::data));
        Ok((seen, Self::stream(whole)))
    }
}

fn from_stream(error: BoxError) -> TransportError {
    match error.downcast::<TransportError>() {
        Ok(error) => *error,
        Err(error) => TransportError::new(TransportErrorKind::Cut, "the response was interrupted")
            .with_source(error),
    }
}

impl fmt::Debug for Body {
    /// Never shows content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        if bytes.is_empty() {
            Self::Empty
        } else {
            Self::Bytes(bytes)
        }
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
    ) -> task::Poll<Option<Result<http_body::Frame<Bytes>, BoxError>>> {
        match &mut *self {
            Self::Empty => task::Poll::Ready(None),
            Self::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                *self = Self::Empty;
                task::Poll::Ready((!bytes.is_empty()).then(|| Ok(http_body::Frame::data(bytes))))
            }
            Self::Stream(stream) => Pin::new(stream).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match self {
            Self::Empty => http_body::SizeHint::with_exact(0),
            Self::Bytes(bytes) => http_body::SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(stream) => stream.size_hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, stream};
    use http_body::Body as _;
    use http_body_util::{Full, StreamBody};

    use super::*;

    fn pieces(
        pieces: impl IntoIterator<Item = Result<&'static [u8], BoxError>, IntoIter: Send + 'static>,
    ) -> Body {
        let frames = pieces
            .into_iter()
            .map(|piece| piece.map(|bytes| http_body::Frame::data(Bytes::from_static(bytes))));
        Body::stream(StreamBody::new(stream::iter(frames)))
    }

    fn collected(body: Body, limit: u64) -> Result<Bytes, TransportError> {
        body.collect(limit)
            .now_or_never()
            .expect("a body at hand does not wait")
    }

    #[test]
    fn a_body_is_collected_up_to_its_limit() {
        let bodies = || {
            [
                Body::from(b"abcdef".to_vec()),
                Body::stream(Full::new(Bytes::from("abcdef"))),
                pieces([Ok(b"ab".as_slice()), Ok(b""), Ok(b"cdef")]),
            ]
        };
        for body in bodies() {
            assert_eq!(collected(body, 6).unwrap(), "abcdef");
        }
        for body in bodies() {
            assert_eq!(
                collected(body, 5).unwrap_err().kind(),
                TransportErrorKind::TooLarge
            );
        }
    }

    #[test]
    fn a_stream_past_its_limit_is_not_read_on() {
        let endless = std::iter::repeat_with(|| Ok([0; 1024].as_slice()));
        assert_eq!(
            collected(pieces(endless), 10_000).unwrap_err().kind(),
            TransportErrorKind::TooLarge
        );
    }

    #[test]
    fn an_empty_body_fits_any_limit() {
        for body in [
            Body::Empty,
            Body::from(Vec::new()),
            pieces([]),
            Body::default(),
        ] {
            assert_eq!(collected(body, 0).unwrap(), "");
        }
    }

    #[cfg(feature = "platform")]
    #[test]
    fn a_body_is_the_same_after_a_look_at_its_beginning() {
        let bodies = || {
            [
                Body::from(b"abcdef".to_vec()),
                pieces([Ok(b"ab".as_slice()), Ok(b""), Ok(b"cd"), Ok(b"ef")]),
            ]
        };
        for least in [0, 1, 3, 6, 100] {
            for body in bodies() {
                let (seen, body) = body.peek(least).now_or_never().unwrap().unwrap();
                assert!(seen.len() >= least.min(6) && b"abcdef".starts_with(&seen));
                assert_eq!(collected(body, 6).unwrap(), "abcdef");
            }
        }
        let broken = pieces([Ok(b"ab".as_slice()), Err("gone".into())]);
        let (seen, body) = broken.peek(2).now_or_never().unwrap().unwrap();
        assert_eq!(seen, "ab");
        assert!(collected(body, 6).is_err());
    }

    #[test]
    fn one_piece_is_not_copied() {
        let bytes = Bytes::from(vec![1; 100]);
        for body in [
            Body::from(bytes.clone()),
            Body::stream(Full::new(bytes.clone())),
        ] {
            assert_eq!(collected(body, 100).unwrap().as_ptr(), bytes.as_ptr());
        }
    }

    #[test]
    fn the_error_of_a_stream_is_kept() {
        let late: BoxError = Box::new(TransportError::new(TransportErrorKind::TimedOut, "late"));
        assert_eq!(
            collected(pieces([Ok(b"a".as_slice()), Err(late)]), 9)
                .unwrap_err()
                .kind(),
            TransportErrorKind::TimedOut
        );
        let error = collected(pieces([Err("gone".into())]), 9).unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Cut);
        assert_eq!(
            std::error::Error::source(&error).unwrap().to_string(),
            "gone"
        );
    }

    #[test]
    fn a_body_says_how_long_it_is() {
        let lengths = [
            (Body::Empty, Some(0)),
            (Body::from(b"abc".to_vec()), Some(3)),
            (Body::stream(Full::new(Bytes::from("ab"))), Some(2)),
            (pieces([Ok(b"a".as_slice())]), None),
        ];
        for (body, length) in lengths {
            assert_eq!(
                http_body::Body::size_hint(&body).exact(),
                length,
                "{body:?}"
            );
            assert_eq!(body.is_end_stream(), length == Some(0), "{body:?}");
        }
    }

    #[test]
    fn bytes_are_one_frame_followed_by_the_end() {
        use http_body_util::BodyExt as _;
        let mut body = Body::from(b"abc".to_vec());
        assert_eq!(
            body.frame()
                .now_or_never()
                .unwrap()
                .unwrap()
                .unwrap()
                .into_data()
                .unwrap(),
            "abc"
        );
        assert!(body.is_end_stream());
        assert!(body.frame().now_or_never().unwrap().is_none());
    }

    #[test]
    fn a_body_does_not_show_its_content() {
        assert_eq!(
            format!(
                "{:?} {:?}",
                Body::from(b"CANARY".to_vec()),
                pieces([Ok(b"CANARY".as_slice())])
            ),
            "Bytes(6) Stream"
        );
    }
}
