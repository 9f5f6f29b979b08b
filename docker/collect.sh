#!/bin/sh
# Collects the files of one service's image after the build: collect.sh SERVICE FOLDER
# It copies every workspace's package.json, since `npm ci` compares them with the lock file, and dist only of what runs.
set -eu
service=$1
out=$2
if [ ! -f "apps/$service/dist/main.js" ]; then
  echo "Unknown service $service. Pass --build-arg SERVICE=NAME with the name of a folder in apps/." >&2
  exit 1
fi

mkdir -p "$out"
cp package.json package-lock.json .npmrc "$out"
for project in apps/* libs/* examples/*; do
  [ -f "$project/package.json" ] || continue
  mkdir -p "$out/$project"
  cp "$project/package.json" "$out/$project"
  case "$project" in
    libs/testing | examples/*) ;;
    libs/* | "apps/$service") cp -R "$project/dist" "$out/$project" ;;
    # The gateway serves these pages to browsers.
    apps/pages) if [ "$service" = gateway ]; then cp -R "$project/dist" "$out/$project"; fi ;;
    # The setup job runs the migrations of all services.
    *) if [ "$service" = cli ] && [ -f "$project/dist/migrate.js" ]; then cp -R "$project/dist" "$out/$project"; fi ;;
  esac
done
find "$out" \( -name '*.d.ts' -o -name '*.map' -o -name '.tsbuildinfo' \) -exec rm {} +
ln -s "apps/$service/dist" "$out/service"
