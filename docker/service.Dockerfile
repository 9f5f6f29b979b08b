# All images, which differ in their last layer only. docker-bake.hcl builds them together; one by itself:
#   docker buildx build -f docker/service.Dockerfile --build-arg SERVICE=issuance -t holdfast/issuance .
# SERVICE=cli is the operator's command line, with every service's migrations for the setup job.
ARG NODE=node:24.21.0-bookworm-slim
# What the images run on. They need Node.js 24 and nothing else: no shell, no npm.
ARG BASE=${NODE}

# Nothing here depends on the processor, so that it is built once for all platforms.
FROM --platform=${BUILDPLATFORM} ${NODE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc nx.json tsconfig.base.json ./
COPY apps apps
COPY libs libs
# The lock file names the example, so npm needs its package.json.
COPY examples/shop/package.json examples/shop/
# The types of the hub's client are generated from it.
COPY docs/reference/openapi.json docs/reference/
RUN --mount=type=cache,target=/npm npm_config_cache=/npm npm ci --no-audit --no-fund
RUN NX_DAEMON=false NX_TUI=false node node_modules/nx/dist/bin/nx.js run-many -t build
COPY docker/collect.mjs docker/
# One fixed time for every file: the same content is the same layer, also in the next release, and is not pulled again.
RUN node docker/collect.mjs /out && find /out -exec touch -h -d @315532800 {} +

FROM --platform=${BUILDPLATFORM} ${NODE} AS modules
WORKDIR /holdfast/app
COPY --from=build /out/manifests ./
# Optional packages are for development: Node.js, PostgreSQL, and the compilers of `npm start`.
RUN --mount=type=cache,target=/npm \
  npm_config_cache=/npm npm ci --omit=dev --omit=optional --no-audit --no-fund --include-workspace-root \
  $(for path in apps/* libs/*; do case $path in apps/e2e | libs/testing) ;; *) echo "-w $path" ;; esac; done)
COPY --from=build /out/shared ./
COPY docker/sbom.mjs /
RUN node /sbom.mjs . sbom.cdx.json
RUN rm -rf package-lock.json .npmrc apps examples libs/testing node_modules/typeorm/browser node_modules/.package-lock.json \
  && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && find node_modules -type f -iname '*.md' ! -iname 'licen[cs]e*' -delete \
  && mkdir -p /out/checkpoints /out/files && mv /holdfast/app /out/files/app \
  && find /out -exec touch -h -d @315532800 {} +

# docker buildx bake sbom writes the file to dist/images.
FROM scratch AS sbom
COPY --from=modules /out/files/app/sbom.cdx.json /

FROM ${BASE}
COPY --from=modules /out/files /
# A volume has the owner of the folder. Only audit writes files, its checkpoints, so the file system may be read-only.
COPY --from=modules --chown=1000:1000 /out/checkpoints /checkpoints
ARG SERVICE
COPY --from=build /out/${SERVICE} /app/
WORKDIR /app
# Sizes of V8's heap, of libs/contracts/src/services.ts: a test compares both.
ENV NODE_OPTIONS="--max-old-space-size=256 --max-semi-space-size=4"
# Distroless bases have Node.js in /nodejs/bin.
ENV NODE_ENV=production PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/nodejs/bin
# A number, so that Kubernetes can verify that it is not root.
USER 1000:1000
ENTRYPOINT ["node", "service/main.js"]
