# The gateway as an image: `docker build -t toolglot .`, then
# `docker run -p 127.0.0.1:8080:8080 -e TOOLGLOT_API_KEY=KEY toolglot --upstream http://HOST:8000`.
FROM rust:1.88-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package toolglot --bin toolglot

# No shell and no package manager; the user is 65532.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /source/target/release/toolglot /usr/local/bin/toolglot
USER 65532:65532
EXPOSE 8080
# An address that others can reach needs a key: TOOLGLOT_API_KEY or --api-key-file.
ENTRYPOINT ["/usr/local/bin/toolglot", "serve", "--listen", "0.0.0.0:8080"]
