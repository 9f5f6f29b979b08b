# All images: docker buildx bake. docker/README.md has the variables.

variable "REGISTRY" { default = "holdfast" }
variable "VERSION" { default = "0.1.0" }
# The commit that the images are built from.
variable "REVISION" { default = "unknown" }
# Seconds since 1970, usually the commit's time: the time of the images. `npm run images` sets both.
variable "SOURCE_DATE_EPOCH" { default = "315532800" }
variable "PLATFORMS" { default = "" }
# Node.js, for the build, and what the images run on.
variable "NODE" { default = "node:24.21.0-bookworm-slim" }
variable "BASE" { default = "" }

group "default" { targets = ["image"] }

target "common" {
  context    = "."
  dockerfile = "docker/service.Dockerfile"
  args = {
    NODE              = NODE
    BASE              = BASE != "" ? BASE : NODE
    SOURCE_DATE_EPOCH = SOURCE_DATE_EPOCH
  }
  # Provenance has the time of the build, so that no two builds would have the same digest.
  attest = ["type=provenance,disabled=true"]
}

target "image" {
  name      = service
  inherits  = ["common"]
  matrix    = { service = ["gateway", "auth", "issuance", "subjects", "audit", "directory", "signals", "cli"] }
  args      = { SERVICE = service }
  tags      = ["${REGISTRY}/${service}:${VERSION}", "${REGISTRY}/${service}:latest"]
  platforms = PLATFORMS != "" ? split(",", PLATFORMS) : []
  labels = {
    "org.opencontainers.image.title"         = "holdfast-${service}"
    "org.opencontainers.image.description"   = "Holdfast: ${service == "cli" ? "the operator's command line" : service}"
    "org.opencontainers.image.vendor"        = "Holdfast"
    "org.opencontainers.image.version"       = VERSION
    "org.opencontainers.image.revision"      = REVISION
    "org.opencontainers.image.created"       = timeadd("1970-01-01T00:00:00Z", "${SOURCE_DATE_EPOCH}s")
    "org.opencontainers.image.base.name"   = BASE != "" ? BASE : NODE
  }
}

# The components of the images (CycloneDX), as a file.
target "sbom" {
  inherits = ["common"]
  target   = "sbom"
  output   = ["type=local,dest=dist/images"]
}
