import { Injectable } from '@nestjs/common';
import type { AuditEvent } from '@holdfast/contracts';
import { ReadDatabase, statement } from '@holdfast/data';
import { ocsfEventOf } from '@holdfast/platform';
import { readCheckpoint } from '@holdfast/tlog';
import { exportedEntries } from '../exported-entries/exported-entry.js';
import { LogPages } from '../exported-entries/log-pages.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { EntryDecryption } from '../query/entry-decryption.js';
import { pseudonymized } from '../query/filter-pseudonyms.js';
import { pageAfter } from '../query/page-after.js';
import { csvHeader, csvRow } from './csv.js';
import type { ExportChoice, ExportRow } from './export-row.js';

const pageSize = 200;
const selectLateMs = statement('export_job_late_ms', 'SELECT late_ms AS "lateMs" FROM head WHERE org = $1');

/** An export that has begun. */
export type BegunExport = Pick<ExportRow, 'org' | 'format' | 'proof' | 'filter' | 'place' | 'entries'> & {
  size: number;
  checkpoint: string;
};

interface ExportPage {
  text: string;
  entries: number;
  /** Up to this `seq` the log is in the file now. */
  place: number;
}

/** What the files of exports contain. */
@Injectable()
export class ExportPages {
  constructor(
    private readonly database: ReadDatabase,
    private readonly log: LogPages,
    private readonly mappings: PseudonymMappings,
    private readonly decryption: EntryDecryption,
  ) {}

  /** The beginning of the file. */
  header({ format, proof, checkpoint }: BegunExport): string {
    if (format === 'csv') return csvHeader;
    if (!proof) return '';
    return line({ type: 'holdfast-audit-log', version: 1, origin: readCheckpoint(checkpoint).origin });
  }

  /** What comes after the entry at `place`. */
  async next(job: BegunExport): Promise<ExportPage> {
    return job.proof ? this.verifiable(job) : this.events(job);
  }

  /** The end of the file: without it, a file that is not CSV is truncated. */
  async trailer({ org, format, proof, size, checkpoint, entries }: BegunExport): Promise<string> {
    if (format !== 'ndjson') return '';
    if (!proof) return line({ type: 'end', count: entries, size, checkpoint });
    const [head] = await this.database.rows<{ lateMs: number }>(selectLateMs, [org]);
    return line({ type: 'end', count: entries, lastSeq: size, checkpoint, ...head });
  }

  private async verifiable({ org, place, size }: BegunExport): Promise<ExportPage> {
    const entries = await exportedEntries(this.decryption, org, await this.log.read(org, place, size, pageSize));
    const last = entries.at(-1)?.seq ?? size;
    return { text: entries.map(line).join(''), entries: entries.length, place: Math.min(last, size) };
  }

  private async events({ org, format, filter, place, size }: BegunExport): Promise<ExportPage> {
    const { filter: conditions, from, to } = JSON.parse(filter) as ExportChoice;
    const stored = await pseudonymized(this.mappings, org, {
      ...conditions,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    const page = await pageAfter(this.database, org, { filter: stored, after: place, limit: pageSize });
    const entries = page.entries.filter(({ seq }) => seq <= size);
    const events = await this.decryption.eventsOf(org, entries);
    const isEnd = entries.length === page.found || entries.length < page.entries.length;
    return {
      text: events.map((event) => lineOf(org, format, event)).join(''),
      entries: events.length,
      place: isEnd ? size : entries.at(-1)!.seq,
    };
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function lineOf(org: string, format: ExportRow['format'], event: AuditEvent): string {
  if (format === 'csv') return csvRow(event);
  return line(format === 'ocsf' ? ocsfEventOf(org, event) : event);
}
