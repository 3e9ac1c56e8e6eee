# `kubemerge serve` in an image without anything else:
#   docker build -t kubemerge .
#   docker run --rm -p 127.0.0.1:8001:8001 kubemerge
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev protoc protobuf-dev
COPY . /source
WORKDIR /source
RUN cargo build --release --locked --package kubemerge-cli --features etcd

FROM scratch
COPY --from=build /source/target/release/kubemerge /kubemerge
USER 65534:65534
EXPOSE 8001
ENTRYPOINT ["/kubemerge"]
# --insecure: the server is for tests and listens on all addresses of the container. Publish the port on loopback
# only, as above, or give --token-file instead.
CMD ["serve", "--address", "0.0.0.0", "--port", "8001", "--insecure"]
