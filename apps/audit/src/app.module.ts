import { Module } from '@nestjs/common';
import { Log } from './append/audit-log.js';
import { Sequencer } from './append/sequencer.js';
import { CountRefusalsHandler } from './denied-requests/count-denied-requests.handler.js';
import { CountedRefusals } from './denied-requests/denied-request-counts.js';
import { ExportEntriesHandler } from './export/export-entries.handler.js';
import { LogPages } from './export/log-pages.js';
import { AppendRecordsHandler } from './intake/append-records.handler.js';
import { DueRecords } from './intake/due-records.worker.js';
import { EventRecords } from './intake/event-records.consumer.js';
import { OperatorRecords } from './intake/operator-records.js';
import { RecordReadingHandler } from './intake/record-reading.handler.js';
import { Names } from './privacy/pseudonym-mappings.js';
import { ReEncryption } from './privacy/re-encryption.js';
import { WaitingRecords } from './quarantine/pending-records.js';
import { Opened } from './query/entry-decryption.js';
import { GetEventHandler } from './query/get-event.handler.js';
import { ListEventsHandler } from './query/list-events.handler.js';
import { Partitions } from './retention/partitions.js';
import { BrokenLogs } from './transparency/broken-logs.js';
import { CheckpointFiles } from './transparency/checkpoint-files.js';
import { Publisher } from './transparency/checkpoint-publisher.js';
import { CheckpointHandler } from './transparency/checkpoint.handler.js';
import { Checkpoints } from './transparency/checkpoints.js';
import { ConsistencyHandler } from './transparency/consistency.handler.js';
import { ProofHandler } from './transparency/proof.handler.js';
import { TileHandler } from './transparency/tile.handler.js';
import { VerifierKeysHandler } from './transparency/verifier-keys.handler.js';

@Module({
  controllers: [
    AppendRecordsHandler,
    CountRefusalsHandler,
    ListEventsHandler,
    GetEventHandler,
    CheckpointHandler,
    VerifierKeysHandler,
    ProofHandler,
    ConsistencyHandler,
    TileHandler,
    ExportEntriesHandler,
    RecordReadingHandler,
  ],
  providers: [
    EventRecords,
    DueRecords,
    WaitingRecords,
    CountedRefusals,
    Sequencer,
    Log,
    Names,
    Opened,
    Partitions,
    OperatorRecords,
    LogPages,
    Checkpoints,
    CheckpointFiles,
    BrokenLogs,
    Publisher,
    ReEncryption,
  ],
})
export class AuditModule {}
