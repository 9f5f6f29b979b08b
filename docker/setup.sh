#!/bin/sh
# The setup job creates roles and grants, every service's tables and the streams of the bus. Each step is idempotent.
set -eu
cd /app
node service/main.js database setup
for migrate in apps/*/dist/migrate.js; do node "$migrate"; done
node service/main.js bus declare
