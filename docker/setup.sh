#!/bin/sh
# The start job: roles and grants, every service's tables, the streams of the bus. Each step may be run again.
set -eu
cd /app
node service/main.js database setup
for migrate in apps/*/dist/migrate.js; do node "$migrate"; done
node service/main.js bus declare
