# One image per service:
#   docker build -f docker/service.Dockerfile --build-arg SERVICE=issuance -t holdfast/issuance .
# SERVICE=cli builds the image of the operator's command line, with every service's migrations for the setup job.
ARG NODE=node:24.21.0-bookworm-slim

FROM ${NODE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc nx.json tsconfig.base.json ./
COPY apps apps
COPY libs libs
# The lock file names the example, so npm needs its package.json.
COPY examples/shop/package.json examples/shop/
RUN npm ci --no-audit --no-fund
RUN NX_DAEMON=false NX_TUI=false node node_modules/nx/dist/bin/nx.js run-many -t build
ARG SERVICE
COPY docker/collect.sh docker/
RUN sh docker/collect.sh "$SERVICE" /out

FROM ${NODE} AS modules
WORKDIR /app
COPY --from=build /out ./
# Optional packages contain Node.js and PostgreSQL for development.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund && rm -f package-lock.json .npmrc

FROM ${NODE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=modules /app ./
# A volume has the owner of the folder.
RUN mkdir /checkpoints && chown 1000:1000 /checkpoints
# A number, so that Kubernetes can verify that it is not root. Only audit writes files, its checkpoints in a volume, so
# the file system may be read-only.
USER 1000:1000
ENTRYPOINT ["node", "service/main.js"]
