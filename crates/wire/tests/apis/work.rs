//! The cost of a chunk does not depend on the amount of earlier data. Counted, not timed: the counter is per thread.

use allocation_counter::measure;
use toolglot_engine::{CallHead, CallId, Event, Place, Span};
use toolglot_value::json;
use toolglot_wire::{Answer, AnswerHead, Api, Emission, UpstreamEvent, UpstreamReader};

use crate::answers::request;

/// A stream in the middle of an answer.
struct Stream {
    reader: UpstreamReader,
    answer: Answer,
    out: Vec<u8>,
}

impl Stream {
    fn new(api: Api) -> Stream {
        let request = request(api, true, json!({}));
        Stream {
            reader: UpstreamReader::new(),
            answer: Answer::new(&request, AnswerHead::default()),
            out: Vec::with_capacity(1 << 16),
        }
    }

    /// Allocations for 100 chunks of text, read and written.
    fn chunks(&mut self) -> u64 {
        let chunk = b"data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"finish_reason\":null}]}\n\n";
        let Stream {
            reader,
            answer,
            out,
        } = self;
        measure(|| {
            for _ in 0..100 {
                out.clear();
                let read = reader.push(chunk, &mut |event| {
                    if let UpstreamEvent::Text(text) = event {
                        answer.text(text, out);
                    }
                });
                assert!(read.is_ok() && !out.is_empty());
            }
        })
        .count_total
    }

    /// Allocations for 100 pieces of a call's arguments.
    fn pieces(&mut self) -> u64 {
        let (answer, out) = (&mut self.answer, &mut self.out);
        let call = CallId(0);
        measure(|| {
            for _ in 0..100 {
                out.clear();
                let event = Event::Args {
                    call,
                    json: "word ",
                };
                answer.push(&event, &mut Emission::Stream, out);
                assert!(!out.is_empty());
            }
        })
        .count_total
    }
}

#[test]
fn a_chunk_costs_the_same_at_the_start_and_late() {
    for api in Api::ALL {
        let mut stream = Stream::new(api);
        stream.chunks();
        let first = stream.chunks();
        for _ in 0..100 {
            stream.chunks();
        }
        let late = stream.chunks();
        // The text that Responses repeats at its end grows occasionally.
        assert!(late <= first + 1, "{api:?}: {first} {late}");
        // Reading a chunk allocates for its fields, writing a chunk allocates nothing.
        assert!(late <= 100 * 30, "{api:?}: {late}");
        assert_eq!(stream.answer.held() + stream.reader.held(), 0);
    }
}

#[test]
fn a_piece_of_arguments_costs_no_allocation() {
    for api in Api::ALL {
        let mut stream = Stream::new(api);
        let head = CallHead {
            call: CallId(0),
            dialect: "hermes",
            name: "f",
            name_span: Span::empty(0),
            server: None,
            id: None,
            place: Place::Answer,
        };
        for event in [
            Event::CallStart(head),
            Event::Args {
                call: CallId(0),
                json: "{\"a\": \"",
            },
        ] {
            stream
                .answer
                .push(&event, &mut Emission::Stream, &mut stream.out);
        }
        for _ in 0..100 {
            stream.pieces();
        }
        // The arguments so far are stored, and their buffer grows occasionally.
        assert!(stream.pieces() <= 2, "{api:?}");
    }
}
