"""Verifies exports of the audit log, from docs/audit-proofs.md alone, and prints a verdict for each test vector.

python3 verify.py [vectors.json] needs the package cryptography. It keeps all entries in memory, and stops at the first
finding.
"""

import base64, hashlib, json, re, sys
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

folder = Path(__file__).resolve().parent
actions = (folder.parent / "reference" / "actions.md").read_text()
class_of = dict(re.findall(r"^\| `([\w.]+)` \|.*\| (\w+) \|$", actions, re.M))
pseudonymous = {"customer", "credential", "offer", "person", "passkey", "access_request"}
people = {"customer", "person"}
clock_difference = timedelta(hours=1)


class Refuted(Exception):
    """The log was changed, or its file is not complete."""


class Undecided(Exception):
    """What was given does not suffice to verify anything."""


def require(condition, finding):
    if not condition:
        raise Refuted(finding)


def from_base64(text):
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("base64 that is not canonical")
    return data


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def merkle_root(hashes):
    """RFC 9162 section 2.1.1, level by level: the last node of an odd level moves up unchanged."""
    level = list(hashes)
    while len(level) > 1:
        pairs = [sha256(b"\x01", *level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) & ~1 :]
    return level[0] if level else sha256()


def parse_key(text):
    name, key_hash, key = text.split("+", 2)
    return name, key_hash, base64.b64decode(key)


def is_signed(note, verifier_key):
    name, key_hash, key = parse_key(verifier_key)
    text, lines = note.split("\n\n", 1)
    for line in lines.splitlines():
        dash, signer, encoded = line.split(" ")
        blob = base64.b64decode(encoded)
        if (dash, signer, blob[:4].hex()) != ("\u2014", name, key_hash):
            continue
        message, signature = (text + "\n").encode(), blob[4:]
        if key[0] == 4:  # a cosignature: its time comes before the signature
            message = b"cosignature/v1\ntime %d\n" % int.from_bytes(blob[4:12], "big") + message
            signature = blob[12:]
        try:
            Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature, message)
            return True
        except InvalidSignature:
            pass
    return False


def open_checkpoint(note, keys):
    """Size and root, or None when no pinned key has signed it."""
    origin, size, root = note.split("\n")[:3]
    if origin != parse_key(keys[0])[0] or not any(is_signed(note, key) for key in keys):
        return None
    return int(size), base64.b64decode(root)


def verify(lines, keys, checkpoint=None, witnesses=(), quorum=None):
    try:
        header = json.loads(lines[0])
    except ValueError:
        raise Undecided("not an export with proof")
    if header.get("type") != "holdfast-audit-log" or header.get("version") != 1:
        raise Undecided("not an export with proof")
    if any(parse_key(key)[0] != header["origin"] for key in keys):
        raise Undecided("the pinned key is of another log")
    kept = None
    if checkpoint is not None:
        kept = open_checkpoint(checkpoint, keys)
        cosigned = sum(is_signed(checkpoint, witness) for witness in witnesses)
        if kept is None or cosigned < (len(witnesses) if quorum is None else quorum):
            raise Undecided("the kept checkpoint is not valid")
    try:
        entries = [json.loads(line) for line in lines[1:]]
    except ValueError:
        raise Refuted("a line cannot be read")
    require(entries and entries[-1].get("type") == "end", "truncated")
    end = entries.pop()
    require([entry["seq"] for entry in entries] == list(range(1, len(entries) + 1)), "entries are missing or moved")
    require((end["count"], end["lastSeq"]) == (len(entries), len(entries)), "entries are missing at the end")
    require("broken" not in end, "the log cannot be signed any more")
    try:
        hashes = [from_base64(entry["leafHash"]) for entry in entries]
        leaves = [from_base64(entry["leaf"]) if "leaf" in entry else None for entry in entries]
    except ValueError:
        raise Refuted("an entry cannot be read")
    newest = open_checkpoint(end["checkpoint"], keys)
    require(newest is not None, "no pinned key has signed the newest checkpoint")
    for size, root in filter(None, (kept, newest)):
        require(size <= len(hashes) and merkle_root(hashes[:size]) == root, "not what the checkpoint covers")
    records = []
    for entry, leaf, leaf_hash in zip(entries, leaves, hashes):
        require(leaf is None or sha256(b"\x00", leaf) == leaf_hash, f"entry {entry['seq']} was changed")
        records.append(leaf and json.loads(leaf))
    ids = [record["id"] for record in records if record]
    require(len(set(ids)) == len(ids), "two entries have one id")
    for entry, record in zip(entries, records):
        check_entry(entry, record)
    check_bounds(entries, records, end)
    check_drops(entries, records, end)
    check_erasures(entries, records)


def check_entry(entry, record):
    at = f"entry {entry['seq']}"
    names, personal = entry.get("names", []), entry.get("personal", {})
    if record is None:
        require(not {"found", "names", "personal"} & entry.keys(), f"{at} has no bytes, but other fields")
        return
    targets = [target["id"] for target in record["targets"]]
    found = {**entry["found"], "targets": sorted(entry["found"]["targets"])}
    logged = {"id": record["id"], "occurredAt": record["occurredAt"], "action": record["action"]}
    logged |= {"actor": record["actor"]["id"], "outcome": record["outcome"]["result"], "targets": sorted(set(targets))}
    require(found == logged, f"{at} has wrong columns")
    require(entry["class"] == class_of.get(record["action"], entry["class"]), f"{at} has a wrong class")
    for name in names:
        require(name["pseudonym"] in [record["actor"]["id"], *targets], f"{at} maps what it does not name")
        require(name["salt"] != "", f"{at} has a mapping that cannot be verified")
        digest = sha256(from_base64(name["salt"]), name["value"].encode())
        require(base64url(digest[:16]) == name["pseudonym"], f"{at} names somebody else")
    for field, shown in personal.items():
        digest = sha256(from_base64(shown["salt"]), shown["value"].encode())
        require(base64url(digest) == record.get("personal", {}).get(field), f"{at} shows another {field}")


def check_bounds(entries, records, end):
    month, latest, bound = "", "", ""
    for entry, record in zip(entries, records):
        require(entry["month"] >= month, f"the month before entry {entry['seq']} was changed")
        month = entry["month"]
        if record:
            occurred_at = record["occurredAt"]
            happened = datetime.fromisoformat(occurred_at.replace("Z", "+00:00"))
            require((happened - clock_difference).strftime("%Y-%m") <= month, f"entry {entry['seq']}: wrong month")
            latest = max(latest, occurred_at)
            if bound:
                late = datetime.fromisoformat(bound.replace("Z", "+00:00")) - happened
                require(late <= timedelta(milliseconds=end["lateMs"]), f"entry {entry['seq']} is too late")
        if entry["seq"] % 256 == 0:
            require(latest <= entry["lastAt"], f"lastAt of entry {entry['seq']} is too early")
            bound = max(bound, entry["lastAt"])


def check_drops(entries, records, end):
    """Exports during which a month was dropped (`began`) are not among the vectors."""
    require("began" not in end, "a drop during the export is not supported")
    dropped, recorded = defaultdict(list), {}
    for entry, record in zip(entries, records):
        if record is None:
            dropped[entry["class"], entry["month"]].append(entry["seq"])
        elif record["action"] == "audit.drop" and record["outcome"]["result"] == "success":
            change = {name: value["to"] for name, value in record["changes"].items()}
            recorded[change["retention"], change["month"]] = change
    require(dropped.keys() == recorded.keys(), "entries have no bytes without a record of their drop, or the reverse")
    for group, seqs in dropped.items():
        change = recorded[group]
        digest = sha256(*(seq.to_bytes(8, "big") for seq in seqs))
        places = {"first": seqs[0], "last": seqs[-1], "sha256": base64.b64encode(digest).decode()}
        require((change["entries"], change["places"]) == (len(seqs), places), f"other entries of {group} were dropped")


def check_erasures(entries, records):
    erased = set()
    for record in filter(None, records):
        if record["action"] in ("subject.erase", "user.remove") and record["outcome"]["result"] == "success":
            erased |= {target["id"] for target in record["targets"] if target["type"] in people}
    for entry, record in zip(entries, records):
        if record is None:
            continue
        at = f"entry {entry['seq']}"
        mapped = {name["pseudonym"] for name in entry.get("names", [])}
        never = set(record.get("erased", []))
        owners = {each["id"] for each in [record["actor"], *record["targets"]] if each["type"] in people}
        named = {each["id"] for each in [record["actor"], *record["targets"]] if each["type"] in pseudonymous}
        require(owners - mapped - never <= erased, f"{at} has a pseudonym without a mapping")
        if owners and owners <= mapped:
            pseudonyms = {each for each in named if re.fullmatch(r"[\w-]{22}", each)}
            require(pseudonyms <= mapped | never, f"{at} has a pseudonym without a mapping")
            withheld = record.get("personal", {}).keys() - entry.get("personal", {}).keys()
            require(not withheld, f"{at} withholds {withheld}")


def edited(lines, edits):
    lines = list(lines)
    for edit in edits:
        at = edit["line"] - 1
        if "remove" in edit:
            del lines[at]
        elif "insertAfter" in edit:
            lines.insert(at + 1, edit["insertAfter"])
        else:
            lines[at] = edit["replaceWith"]
    return lines


def verdict_of(lines, vector):
    given = {name: vector[name] for name in ("checkpoint", "witnesses", "quorum") if name in vector}
    try:
        verify(edited(lines, vector["edits"]), vector["keys"], **given)
        return "verified", ""
    except Refuted as finding:
        return "refuted", str(finding)
    except Undecided as reason:
        return "undecided", str(reason)


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "vectors.json"
    content = json.loads(file.read_text())
    log = (file.parent / content["log"]).read_text().splitlines()
    for vector in content["vectors"]:
        verdict, why = verdict_of(log, vector)
        print(json.dumps({"name": vector["name"], "verdict": verdict, "why": why}))
