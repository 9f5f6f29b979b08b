"""Verifies exports of the audit log: docs/audit-proofs.md, "Verifying an export", as a program.

  python3 verify.py log.ndjson --key KEY [--key KEY] [--checkpoint FILE [--witness KEY] [--quorum N]]
  python3 verify.py vectors.json            a verdict for each test vector
  python3 verify.py --requests              a verdict for each line of standard input, see requests()

It needs the package cryptography, keeps all entries in memory, and stops at the first finding. It exits with 0
(verified), 1 (refuted) or 2 (undecided).
"""

import argparse, base64, binascii, hashlib, json, re, sys
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

folder = Path(__file__).resolve().parent
actions = (folder.parent / "reference" / "actions.md").read_text(encoding="utf-8")
class_of = dict(re.findall(r"^\| `([\w.]+)` \|.*\| (\w+) \|$", actions, re.M))
classes = {"reads", "changes", "kept"}
people = {"customer", "person"}
owned = {"offer", "credential", "passkey", "assignment", "access_request"}

MAX_SAFE = 2**53 - 1
HOUR_MS = 3_600_000
SUBTREE = 256
SALT_BYTES = 16
MAX_LINE_BYTES = 4_000_000
MAX_NOTE_BYTES = 1_000_000
MAX_SIGNATURES = 100
MAX_DEPTH = 64
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
key_name = re.compile(f"[^{WHITE_SPACE}+\\x00-\\x1f\\x7f-\\x9f]+")
signature_line = re.compile(f"\u2014 ([^{WHITE_SPACE}+]+) ([A-Za-z0-9+/=]+)")
pseudonym_form = re.compile(r"[A-Za-z0-9_-]{22}")
uuid_form = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
month_form = re.compile(r"(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])")
time_form = re.compile(month_form.pattern + r"-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3})Z")
epoch = datetime(1970, 1, 1)


class Refuted(Exception):
    """The log was changed, or its file is not complete."""


class Undecided(Exception):
    """What was given does not suffice to verify anything."""


class Malformed(Exception):
    """A text has another form. Whether this refutes the log depends on what the text is."""


def require(condition, finding):
    if not condition:
        raise Refuted(finding)


def well_formed(condition, what):
    if not condition:
        raise Malformed(what)


# Encodings


def from_base64(text, size=None):
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Malformed("not base64")
    well_formed(base64.b64encode(data).decode() == text, "base64 that is not canonical")
    well_formed(size is None or len(data) == size, f"not {size} bytes")
    return data


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def utf8(text):
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Malformed("a lone surrogate")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def members_once(pairs):
    well_formed(len({name for name, _ in pairs}) == len(pairs), "a member twice")
    return dict(pairs)


def no_constant(text):
    raise Malformed(f"{text} is not JSON")


def number(text):
    """Numbers are compared as numbers: 1, 1.0 and 1e0 are the same."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= MAX_SAFE else value


def is_deeper(levels, value):
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_deeper(levels - 1, each) for each in inner)


def parse_json(data):
    hooks = {"object_pairs_hook": members_once, "parse_constant": no_constant}
    try:
        value = json.loads(data.decode(), parse_int=number, parse_float=number, **hooks)
    except (ValueError, RecursionError):
        raise Malformed("not JSON")
    well_formed(not is_deeper(MAX_DEPTH, value), "nested too deep")
    return value


def is_count(value):
    return type(value) is int and 0 <= value <= MAX_SAFE


def time_ms(text):
    match = time_form.fullmatch(text) if isinstance(text, str) else None
    well_formed(match, "not a time")
    year, month, day, hour, minute, second, ms = map(int, match.groups())
    try:
        time = datetime(year, month, day, hour, minute, second)
    except ValueError:
        raise Malformed("not a time")
    return (time - epoch) // timedelta(milliseconds=1) + ms


def month_number(text):
    return int(text[:4]) * 12 + int(text[5:]) - 1


def month_of(ms):
    try:
        time = epoch + timedelta(milliseconds=ms)
    except OverflowError:
        return 10_000 * 12
    return time.year * 12 + time.month - 1


def merkle_root(hashes):
    """RFC 9162 section 2.1.1, level by level: the last node of an odd level moves up unchanged."""
    level = list(hashes)
    while len(level) > 1:
        pairs = [sha256(b"\x01", *level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) & ~1 :]
    return level[0] if level else sha256()


# Keys, signed notes and checkpoints


def parse_key(text, kind):
    parts = text.split("+", 2)
    well_formed(len(parts) == 3 and key_name.fullmatch(parts[0]), "not a verifier key")
    name, key_hash, encoded = parts
    key = from_base64(encoded, 33)
    well_formed(key[0] == kind, "the key of another role")
    well_formed(sha256(utf8(name) + b"\n" + key)[:4].hex() == key_hash, "the hash of another key")
    return name, key_hash, Ed25519PublicKey.from_public_bytes(key[1:])


def parse_note(note):
    data = utf8(note)
    well_formed(len(data) <= MAX_NOTE_BYTES, "a long note")
    well_formed(not re.search("[\x00-\x09\x0b-\x1f]", note), "a control character")
    text, gap, lines = note.rpartition("\n\n")
    well_formed(gap and note.endswith("\n"), "not a signed note")
    lines = lines[:-1].split("\n")
    well_formed(len(lines) <= MAX_SIGNATURES, "many signatures")
    signatures = []
    for line in lines:
        match = signature_line.fullmatch(line)
        well_formed(match, "not a signature")
        blob = from_base64(match[2])
        well_formed(len(blob) >= 5, "a short signature")
        signatures.append((match[1], blob[:4].hex(), blob[4:]))
    return text + "\n", signatures


def has_signed(key, text, signatures, signed_by):
    """A wrong signature by a pinned key is no signature that may be ignored: it makes the note invalid."""
    name, key_hash, public_key = key
    own = [blob for signer, signer_hash, blob in signatures if (signer, signer_hash) == (name, key_hash)]
    for blob in own:
        message, signature = signed_by(text, blob)
        try:
            public_key.verify(signature, message)
        except (InvalidSignature, ValueError):
            raise Malformed(f"a wrong signature by {name}")
    return len(own) > 0


def by_log(text, blob):
    return utf8(text), blob


def by_witness(text, blob):
    well_formed(len(blob) == 72, "a cosignature of another length")
    seconds = int.from_bytes(blob[:8], "big")
    well_formed(seconds <= 8_640_000_000_000, "a cosignature without a valid time")
    return b"cosignature/v1\ntime %d\n" % seconds + utf8(text), blob[8:]


def open_checkpoint(note, keys):
    text, signatures = parse_note(note)
    # A list: each key is tried, since a wrong signature by any of them counts.
    well_formed(any([has_signed(key, text, signatures, by_log) for key in keys]), "no pinned key has signed it")
    lines = text.split("\n")
    well_formed(len(lines) == 4 and lines[3] == "", "not a checkpoint")
    origin, size, root = lines[:3]
    well_formed(origin == keys[0][0], "a checkpoint of another log")
    well_formed(re.fullmatch("0|[1-9][0-9]{0,15}", size) and int(size) <= MAX_SAFE, "not a size")
    return int(size), from_base64(root, 32)


def open_kept(note, keys, witnesses, quorum):
    checkpoint = open_checkpoint(note, keys)
    text, signatures = parse_note(note)
    cosigned = [has_signed(witness, text, signatures, by_witness) for witness in witnesses]
    well_formed(sum(cosigned) >= quorum, "too few witnesses have cosigned it")
    return checkpoint


# The file


def check_members(value, what, required, optional=()):
    well_formed(isinstance(value, dict), f"{what} is no object")
    well_formed(set(required) <= value.keys(), f"{what} lacks a member")
    well_formed(value.keys() <= {*required, *optional}, f"{what} has an unknown member")


def check_strings(value, names):
    well_formed(all(isinstance(value[name], str) for name in names if name in value), "a member is no string")


def check_entry_form(entry):
    optional = ("leaf", "class", "month", "lastAt", "found", "names", "personal")
    check_members(entry, "it", ("seq", "leafHash"), optional)
    check_strings(entry, ("leaf", "leafHash", "class", "month"))
    well_formed(is_count(entry["seq"]), "its seq is no whole number")
    well_formed(entry.get("class", "kept") in classes, "there is no such class")
    well_formed("month" not in entry or month_form.fullmatch(entry["month"]), "there is no such month")
    if "lastAt" in entry:
        time_ms(entry["lastAt"])
    if "found" in entry:
        texts = ("id", "occurredAt", "action", "actor", "outcome")
        check_members(entry["found"], "found", (*texts, "targets"))
        check_strings(entry["found"], texts)
        targets = entry["found"]["targets"]
        well_formed(isinstance(targets, list) and all(isinstance(each, str) for each in targets), "its targets")
    well_formed(isinstance(entry.get("names", []), list), "its names")
    for name in entry.get("names", []):
        check_members(name, "one of its names", ("pseudonym", "value", "salt"))
        check_strings(name, name)
    well_formed(isinstance(entry.get("personal", {}), dict), "its personal")
    for shown in entry.get("personal", {}).values():
        check_members(shown, "a personal value", ("value", "salt"))
        check_strings(shown, shown)


def check_end_form(end):
    check_members(end, "it", ("type", "count", "lastSeq", "checkpoint"), ("lateMs", "began", "broken"))
    well_formed(end["type"] == "end" and isinstance(end["checkpoint"], str), "its type or checkpoint")
    counts = [end[name] for name in ("count", "lastSeq", "lateMs", "began") if name in end]
    well_formed(all(map(is_count, counts)), "its numbers")
    if "broken" in end:
        check_members(end["broken"], "broken", ("detail", "since", "unsigned"))
        check_strings(end["broken"], ("detail", "since"))
        well_formed(is_count(end["broken"]["unsigned"]), "its unsigned")


def parse_leaf(data):
    record = parse_json(data)
    is_ref = lambda ref: isinstance(ref, dict) and all(isinstance(ref.get(name), str) for name in ("type", "id"))
    well_formed(isinstance(record, dict), "its bytes are no audit record")
    texts = [record.get(name) for name in ("id", "occurredAt", "action")]
    outcome, targets, personal = record.get("outcome"), record.get("targets"), record.get("personal", {})
    texts.append(outcome.get("result") if isinstance(outcome, dict) else None)
    well_formed(isinstance(personal, dict) and isinstance(record.get("erased", []), list), "its bytes are no record")
    texts += [*personal.values(), *record.get("erased", [])]
    well_formed(all(isinstance(text, str) for text in texts), "its bytes are no audit record")
    well_formed(isinstance(targets, list) and all(map(is_ref, [record.get("actor"), *targets])), "its actor or targets")
    time_ms(record["occurredAt"])
    well_formed(uuid_form.fullmatch(record["id"]), "its id is no UUID")
    return record


def lines_of(data):
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def parse_line(line):
    well_formed(len(line) <= MAX_LINE_BYTES, "a long line")
    value = parse_json(line)
    well_formed(isinstance(value, dict), "no object")
    return value


def open_file(lines, keys):
    try:
        header = parse_line(lines[0])
        check_members(header, "the header", ("type", "version", "origin"))
    except (IndexError, Malformed):
        raise Undecided("not an export with proof")
    if header["type"] != "holdfast-audit-log" or header["version"] != 1 or type(header["version"]) is not int:
        raise Undecided("not an export with proof of version 1")
    if not keys or any(name != header["origin"] for name, _, _ in keys):
        raise Undecided("the pinned key is of another log")
    entries, end = [], None
    for at, line in enumerate(lines[1:], 2):
        after = f"line {at}, after entry {len(entries)}"
        try:
            value = parse_line(line)
            well_formed(end is None and ("type" in value) != ("seq" in value), "neither an entry nor the end")
            if "type" in value:
                check_end_form(value)
                end = value
                continue
            check_entry_form(value)
            require(value["seq"] == len(entries) + 1, f"{after}: an entry is missing, or was moved or inserted")
            entries.append(value)
        except Malformed as reason:
            raise Refuted(f"{after}, cannot be read: {reason}")
    require(end is not None, f"the file ends after entry {len(entries)} without its last line")
    count = len(entries)
    require((end["count"], end["lastSeq"]) == (count, count), f"entries are missing after {count}")
    require("broken" not in end, "the log cannot be signed any more")
    return entries, end


def verify(data, keys, checkpoint=None, witnesses=(), quorum=None):
    try:
        keys = [parse_key(key, 1) for key in keys]
        pinned = [parse_key(key, 4) for key in witnesses]
        well_formed(len({key[:2] for key in pinned}) == len(pinned), "a witness is given twice")
        well_formed(checkpoint is not None or not pinned, "witnesses without a checkpoint")
        well_formed(keys, "no pinned key")
        required = len(pinned) if quorum is None else quorum
        kept = None if checkpoint is None else open_kept(checkpoint, keys, pinned, required)
    except Malformed as reason:
        raise Undecided(f"a key or the kept checkpoint is not valid: {reason}")
    entries, end = open_file(lines_of(data), keys)
    try:
        newest = open_checkpoint(end["checkpoint"], keys)
    except Malformed as reason:
        raise Refuted(f"the newest checkpoint is not valid: {reason}")
    hashes, records = [], []
    for entry in entries:
        try:
            hashes.append(from_base64(entry["leafHash"], 32))
            leaf = from_base64(entry["leaf"]) if "leaf" in entry else None
            require(leaf is None or sha256(b"\x00", leaf) == hashes[-1], f"entry {entry['seq']} was changed")
            records.append(None if leaf is None else parse_leaf(leaf))
            check_entry(entry, records[-1])
        except Malformed as reason:
            raise Refuted(f"entry {entry['seq']} cannot be read: {reason}")
    require(newest[0] == len(hashes), f"the newest checkpoint covers {newest[0]} entries, and there are {len(hashes)}")
    for size, root in filter(None, (kept, newest)):
        require(size <= len(hashes), f"entries after {len(hashes)} are missing: a checkpoint covers {size}")
        require(merkle_root(hashes[:size]) == root, f"entries up to {size} are not what a checkpoint covers")
    ids = set()
    for entry, record in zip(entries, records):
        require(record is None or record["id"] not in ids, f"entry {entry['seq']} has the id of an earlier entry")
        ids.add(record and record["id"])
    columns = ("class", "month", "lastAt")
    is_old = "lateMs" not in end and not any(name in entry for entry in entries for name in columns)
    if not is_old:
        check_bounds(entries, records, end)
    check_erasures(entries, records)
    is_undecided = is_old and None in records
    check_drops(entries, records, end, is_old)
    if is_undecided:
        raise Undecided("an export from before the class and month of entries: which were dropped cannot be decided")


# Each entry


def commitment(salt, value):
    return sha256(from_base64(salt, SALT_BYTES), utf8(value))


def check_entry(entry, record):
    at = f"entry {entry['seq']}"
    if record is None:
        require(not {"found", "names", "personal"} & entry.keys(), f"{at} has no bytes, but other members")
        return
    require("found" in entry, f"{at} has no columns")
    actor, targets = record["actor"]["id"], [target["id"] for target in record["targets"]]
    found = {**entry["found"], "targets": sorted(entry["found"]["targets"])}
    logged = {"id": record["id"], "occurredAt": record["occurredAt"], "action": record["action"]}
    logged |= {"actor": actor, "outcome": record["outcome"]["result"], "targets": sorted(set(targets))}
    require(found == logged, f"{at} has wrong columns")
    if "class" in entry:
        require(entry["class"] == class_of.get(record["action"], entry["class"]), f"{at} has a wrong class")
    for name in entry.get("names", []):
        require(name["pseudonym"] in [actor, *targets], f"{at} maps what it does not name")
        require(uuid_form.fullmatch(name["value"]), f"{at} maps a pseudonym to what is no id")
        require(name["salt"] != "", f"{at} has a mapping from before salts, which cannot be verified")
        require(base64url(commitment(name["salt"], name["value"])[:16]) == name["pseudonym"], f"{at} names another")
    for field, shown in entry.get("personal", {}).items():
        logged = record.get("personal", {}).get(field)
        require(base64url(commitment(shown["salt"], shown["value"])) == logged, f"{at} shows another {field}")


# The columns by which lists find entries


def check_bounds(entries, records, end):
    require("lateMs" in end, "the last line has no lateMs")
    month, latest, bound, proven = 0, None, None, 0
    for entry, record in zip(entries, records):
        at = f"entry {entry['seq']}"
        require("class" in entry and "month" in entry, f"{at} has no class and month")
        require(("lastAt" in entry) == (entry["seq"] % SUBTREE == 0), f"{at} lacks its lastAt, or has one")
        require(month_number(entry["month"]) >= month, f"the month before {at} was changed")
        month = month_number(entry["month"])
        if record is None:
            proven = max(proven, month)
        else:
            happened = time_ms(record["occurredAt"])
            latest = happened if latest is None else max(latest, happened)
            proven = max(proven, month_of(latest + HOUR_MS))
            require(month_of(happened - HOUR_MS) <= month, f"{at} happened after its month")
            require(month <= proven, f"{at} has a month in which nothing up to it has happened")
            require(bound is None or bound - happened <= end["lateMs"], f"{at} is too late")
        if "lastAt" in entry:
            last_at = time_ms(entry["lastAt"])
            require(latest is None or latest <= last_at, f"the lastAt of {at} is too early")
            bound = last_at if bound is None else max(bound, last_at)


# Entries without bytes


def check_drop_record(changes):
    check_members(changes, "changes", ("retention", "month", "entries"), ("places",))
    for change in changes.values():
        check_members(change, "a change", ("to",))
    to = {name: change["to"] for name, change in changes.items()}
    well_formed(isinstance(to["retention"], str) and to["retention"] in classes, "there is no such class")
    well_formed(isinstance(to["month"], str) and month_form.fullmatch(to["month"]), "there is no such month")
    well_formed(is_count(to["entries"]) and to["entries"] > 0, "its entries")
    if "places" in to:
        check_members(to["places"], "places", ("first", "last", "sha256"))
        well_formed(all(is_count(to["places"][name]) and to["places"][name] > 0 for name in ("first", "last")), "places")
        well_formed(isinstance(to["places"]["sha256"], str), "its hash")
        from_base64(to["places"]["sha256"], 32)
    return to


def hash_of(seqs):
    return base64.b64encode(sha256(*(seq.to_bytes(8, "big") for seq in seqs))).decode()


def total(drops):
    return sum(drop["entries"] for _, _, drop in drops)


def are_recorded(missing, drops):
    """Whether these are, drop by drop, the entries that the records name; by number when one names none."""
    if any("places" not in drop for _, _, drop in drops):
        return True
    start = 0
    for _, _, drop in sorted(drops, key=lambda each: each[2]["places"]["first"]):
        seqs = missing[start : start + drop["entries"]]
        start += drop["entries"]
        if not seqs or drop["places"] != {"first": seqs[0], "last": seqs[-1], "sha256": hash_of(seqs)}:
            return False
    return True


def check_drops(entries, records, end, is_old):
    missing, present, drops = defaultdict(list), defaultdict(list), defaultdict(list)
    for entry, record in zip(entries, records):
        if not is_old:
            (missing if record is None else present)[entry["class"], entry["month"]].append(entry["seq"])
        if record and record["action"] == "audit.drop" and record["outcome"]["result"] == "success":
            try:
                drop = check_drop_record(record.get("changes"))
            except Malformed as reason:
                raise Refuted(f"entry {entry['seq']} does not say which entries were dropped: {reason}")
            drops[drop["retention"], drop["month"]].append((entry["seq"], record["occurredAt"][:7], drop))
    if is_old and None in records:
        return
    for group in missing.keys() | drops.keys():
        check_group(group, missing[group], present[group], drops[group], end.get("began"))


def check_group(group, missing, present, drops, began):
    which = f"class {group[0]} and month {group[1]}"
    require(drops, f"entries of {which} have no bytes, from seq {missing[:1]}, without a record of a drop")
    for seq, happened_in, _ in drops:
        require(group[1] < happened_in, f"entry {seq} records a drop of {which} before the month had ended")
        require(group[0] != "kept", f"entry {seq} records a drop of {which}, which is never dropped")
    before = [drop for drop in drops if began is None or drop[0] <= began]
    last = drops[-1][0]
    if before and present:
        require(present[0] > before[-1][0], f"entry {present[0]} of {which} has its bytes, but was dropped")
    if len(before) < len(drops):
        rest = missing[total(before) :]
        if present and rest:
            require(rest[0] > present[-1], f"entry {present[-1]} of {which} has its bytes, but was dropped")
        if (
            total(drops) == len(missing) + len(present)
            and are_recorded(missing[: total(before)], before)
            and (len(drops) > 1 or drops[0][2].get("places", {}).get("sha256") == hash_of(sorted(missing + present)))
        ):
            return
    named = total(drops) == len(missing) and are_recorded(missing, drops)
    require(named, f"entry {last} records that other entries of {which} were dropped")


# Pseudonyms and personal values


def check_erasures(entries, records):
    erased = set()
    for record in filter(None, records):
        if record["action"] in ("subject.erase", "user.remove") and record["outcome"]["result"] == "success":
            erased |= pseudonyms(record["targets"], people)
    for entry, record in zip(entries, records):
        if record is None:
            continue
        at = f"entry {entry['seq']}"
        refs = [record["actor"], *record["targets"]]
        mapped = {name["pseudonym"] for name in entry.get("names", [])}
        never = set(record.get("erased", []))
        named = pseudonyms(refs, people)
        require(named - mapped - never <= erased, f"{at} has a pseudonym without a mapping")
        if named and named <= mapped:
            require(pseudonyms(refs, owned) <= mapped | never, f"{at} has a pseudonym without a mapping")
        subject = data_subject(record)
        withheld = record.get("personal", {}).keys() - entry.get("personal", {}).keys()
        require(subject not in mapped or not withheld, f"{at} withholds {withheld}")


def pseudonyms(refs, types):
    return {ref["id"] for ref in refs if ref["type"] in types and pseudonym_form.fullmatch(ref["id"])}


def data_subject(record):
    """The pseudonym of whom the personal values are about, or of what belongs to them."""
    if record["actor"]["type"] in people:
        return record["actor"]["id"]
    return next((ref["id"] for ref in record["targets"] if pseudonyms([ref], people | owned)), None)


# The program


def decide(data, **given):
    try:
        verify(data, **given)
        return "verified", ""
    except Refuted as finding:
        return "refuted", str(finding)
    except Undecided as reason:
        return "undecided", str(reason)


def edited(lines, edits):
    lines = list(lines)
    for edit in edits:
        at = edit["line"] - 1
        if "remove" in edit:
            del lines[at]
        elif "insertAfter" in edit:
            lines.insert(at + 1, edit["insertAfter"].encode())
        elif "members" in edit:
            for each in range(at, edit["to"]):
                changed = {**json.loads(lines[each]), **edit["members"]}
                lines[each] = json.dumps({name: value for name, value in changed.items() if value is not None}).encode()
        else:
            lines[at] = edit["replaceWith"].encode()
    return b"".join(line + b"\n" for line in lines)


options = ("keys", "checkpoint", "witnesses", "quorum")


def vectors(file):
    content = json.loads(file.read_text(encoding="utf-8"))
    for vector in content["vectors"]:
        lines = lines_of((file.parent / vector.get("log", content["log"])).read_bytes())
        given = {name: vector[name] for name in options if name in vector}
        verdict, why = decide(edited(lines, vector["edits"]), **given)
        print(json.dumps({"name": vector["name"], "verdict": verdict, "why": why}))


def requests():
    """Each line is JSON: {"log": FILE, "from": N, "to": M, "put": BASE64, "keys": [KEY] …}. Between from and to, the
    bytes of the file are replaced. For tests, which try many manipulations of a few files."""
    files = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["log"]
        data = files[name] = files.get(name) or Path(name).read_bytes()
        changed = data[: request["from"]] + base64.b64decode(request["put"]) + data[request["to"] :]
        try:
            verdict, why = decide(changed, **{each: request[each] for each in options if each in request})
        except Exception as error:  # reported, so that a test finds it
            verdict, why = "exception", repr(error)
        print(json.dumps({"verdict": verdict, "why": why}), flush=True)


def main():
    parser = argparse.ArgumentParser(description="Verifies exports of the audit log of Holdfast.")
    parser.add_argument("file", nargs="?", default=folder / "vectors.json", type=Path)
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--witness", action="append", default=[])
    parser.add_argument("--quorum", type=int)
    parser.add_argument("--requests", action="store_true")
    given = parser.parse_args()
    if given.requests:
        return requests()
    if not given.key:
        return vectors(given.file)
    try:
        data = given.file.read_bytes()
        checkpoint = given.checkpoint and given.checkpoint.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        print(f"undecided: {error}")
        return 2
    verdict, why = decide(
        data, keys=given.key, checkpoint=checkpoint, witnesses=given.witness, quorum=given.quorum
    )
    print(f"{verdict}: {why}" if why else verdict)
    return {"verified": 0, "refuted": 1, "undecided": 2}[verdict]


if __name__ == "__main__":
    sys.exit(main())
