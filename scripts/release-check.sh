#!/usr/bin/env bash
# What must hold of the package before it is released: size, contents, types, licences, bill of materials, no secrets, the
# same bytes from two builds, and an install with npm 11 and 12 on each supported Node. Takes the folder that gets the
# tools; it keeps them for another run.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=${1:-.cache/release}
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work" .cache/release-build-*' EXIT
most_bytes=3000000

fail() {
  echo "release: $*" >&2
  exit 1
}

# Releases of Node and npm, and what judges a package. Not dependencies: 40 MB for one check, besides the Nodes.
install_tools() {
  npm install --prefix "$tools" --no-audit --no-fund --loglevel=error \
    node20@npm:node@20 node22@npm:node@22 node24@npm:node@24 npm11@npm:npm@11 npm12@npm:npm@12 \
    publint@0.3.25 @arethetypeswrong/cli@0.18.5
}

# Node before 16, which knows no `exports`, is left out.
check_package() {
  npm pack --silent --ignore-scripts --pack-destination "$work" >/dev/null
  package=$(echo "$work"/comem-*.tgz)
  local bytes
  bytes=$(wc -c <"$package")
  [ "$bytes" -le "$most_bytes" ] || fail "the package has $bytes bytes, and the limit is $most_bytes"
  "$tools/node_modules/.bin/publint" run "$package" --strict
  "$tools/node_modules/.bin/attw" "$package" --profile node16
  echo "release: $bytes bytes packed"
}

# The demo's credentials are public.
check_secrets() {
  mkdir "$work/unpacked" && tar xzf "$package" -C "$work/unpacked"
  local pattern='-----BEGIN [A-Z ]*PRIVATE KEY|_authToken|AKIA[0-9A-Z]{16}|gh[pousr]_[0-9A-Za-z]{36}|cmk_[0-9a-f]{32}'
  ! grep -rIlE "$pattern" "$work/unpacked" || fail 'the files above hold what looks like a secret'
}

# The build fails on a licence that is not allowed; this is what npm installs beside the package.
check_bill() {
  npm sbom --omit=dev --sbom-format=cyclonedx >"$work/sbom.json"
  node -e '
    const { components } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    const allowed = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "0BSD", "Unlicense"]);
    const idOf = ({ licenses: [{ license, expression } = {}] = [] }) => license?.id ?? expression;
    const wrong = components.filter((component) => !allowed.has(idOf(component)));
    for (const { name, version } of wrong) console.error(`release: the licence of ${name} ${version} is not allowed`);
    console.log(`release: ${components.length} packages are installed`);
    process.exitCode = wrong.length > 0 ? 1 : 0;
  ' "$work/sbom.json"
}

check_builds() {
  local name
  # Within the project: a source map names its sources from its own folder.
  for name in a b; do node scripts/build.mjs --dir ".cache/release-build-$name/dist"; done
  diff -r .cache/release-build-a .cache/release-build-b || fail 'two builds differ'
}

# As users install it: what a package runs at its install is not needed.
check_install() {
  local node="$tools/node_modules/node$1/bin/node" npm="$tools/node_modules/npm$2/bin/npm-cli.js" prefix="$work/node$1-npm$2"
  local comem=(env "XDG_CONFIG_HOME=$prefix/config" "XDG_DATA_HOME=$prefix/data" "$node" "$prefix/lib/node_modules/comem/bin/comem.js")
  "$node" "$npm" install --global --prefix "$prefix" --ignore-scripts --no-audit --no-fund --loglevel=error "$package"
  "${comem[@]}" --version
  "${comem[@]}" -p demo lists list -o id
  "${comem[@]}" -p demo sql 'select 1'
  "${comem[@]}" -p demo check entries hiring --expect 'unique(title)'
  "${comem[@]}" -p demo -c lumen metrics chart -m mrr --last 6 --out "$prefix/mrr.png"
  echo "release: installed by npm $2 on Node $1"
}

install_tools
check_package
check_secrets
check_bill
check_builds
check_install 20 11
# npm 12 needs Node 22.
for major in 22 24; do
  check_install "$major" 11
  check_install "$major" 12
done
