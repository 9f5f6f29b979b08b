import { Module } from '@nestjs/common';
import { AppendRecordsHandler } from './entries/append-records.handler.js';
import { DueRecords } from './entries/due-records.js';
import { EventRecords } from './entries/event-records.consumer.js';
import { GetEventHandler } from './entries/get-event.handler.js';
import { ListEventsHandler } from './entries/list-events.handler.js';
import { Log } from './entries/log.js';
import { Names } from './entries/names.js';
import { Opened } from './entries/opened.js';
import { Partitions } from './entries/partitions.js';
import { Sequencer } from './entries/sequencer.js';
import { WaitingRecords } from './entries/waiting-records.js';
import { ExportEntriesHandler } from './export/export-entries.handler.js';
import { LogPages } from './export/log-pages.js';
import { ReEncryption } from './keys/re-encryption.js';
import { OperatorRecords } from './operator/operator-records.js';
import { RecordReadingHandler } from './operator/record-reading.handler.js';
import { BrokenLogs } from './proofs/broken-logs.js';
import { CheckpointFiles } from './proofs/checkpoint-files.js';
import { CheckpointHandler } from './proofs/checkpoint.handler.js';
import { Checkpoints } from './proofs/checkpoints.js';
import { ConsistencyHandler } from './proofs/consistency.handler.js';
import { ProofHandler } from './proofs/proof.handler.js';
import { Publisher } from './proofs/publisher.js';
import { TileHandler } from './proofs/tile.handler.js';
import { VerifierKeysHandler } from './proofs/verifier-keys.handler.js';
import { CountRefusalsHandler } from './refusals/count-refusals.handler.js';
import { CountedRefusals } from './refusals/counted-refusals.js';

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
