#!/bin/sh
# Collects what the image of one service needs, after the build:  collect.sh SERVICE FOLDER
# Every workspace's package.json comes along, since `npm ci` compares them with the lock; its dist only when it is run.
set -eu
service=$1
out=$2
[ -f "apps/$service/dist/main.js" ] || { echo "There is no service $service; give --build-arg SERVICE=NAME with the name of a folder in apps/."; exit 1; }

mkdir -p "$out"
cp package.json package-lock.json .npmrc "$out"
for project in apps/* libs/* examples/*; do
  [ -f "$project/package.json" ] || continue
  mkdir -p "$out/$project"
  cp "$project/package.json" "$out/$project"
  case "$project" in
    libs/testing | examples/*) ;;
    libs/* | "apps/$service") cp -R "$project/dist" "$out/$project" ;;
    # What the gateway serves to browsers.
    apps/pages) if [ "$service" = gateway ]; then cp -R "$project/dist" "$out/$project"; fi ;;
    # The setup job runs the migrations of all.
    *) if [ "$service" = cli ] && [ -f "$project/dist/migrate.js" ]; then cp -R "$project/dist" "$out/$project"; fi ;;
  esac
done
find "$out" \( -name '*.d.ts' -o -name '*.map' -o -name '.tsbuildinfo' \) -exec rm {} +
ln -s "apps/$service/dist" "$out/service"
