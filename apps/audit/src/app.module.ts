import { Module } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import { quarantines, streams } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { ClearStoredResponses, Idempotency, outboxProvider, quarantineController } from '@holdfast/outbox';
import { outboundProvider } from '@holdfast/service';
import { ReadAnalyticsHandler } from './analytics/read-analytics.handler.js';
import { RollUpWorker } from './analytics/roll-up.worker.js';
import { RollUps } from './analytics/roll-ups.js';
import { AuditLog } from './append/audit-log.js';
import { GrownLogs, SignedLogs } from './append/changed-logs.js';
import { GrowthAnnouncements } from './append/growth-announcements.js';
import { Sequencer } from './append/sequencer.js';
import { CountDeniedRequestsHandler } from './denied-requests/count-denied-requests.handler.js';
import { DeniedRequestCounts } from './denied-requests/denied-request-counts.js';
import { EntryStream } from './entry-stream/entry-stream.js';
import { PublishedLogs } from './entry-stream/published-logs.js';
import { EntryPublisher } from './entry-stream/publisher.js';
import { ReaderConsumers } from './entry-stream/reader-consumers.js';
import { ReadersHandler } from './entry-stream/readers.handler.js';
import { Readers } from './entry-stream/readers.js';
import { ExportEntriesHandler } from './exported-entries/export-entries.handler.js';
import { LogPages } from './exported-entries/log-pages.js';
import { ExportChunks } from './exports/export-chunks.js';
import { ExportEvents } from './exports/export-events.js';
import { ExportExpiry } from './exports/export-expiry.worker.js';
import { ExportPages } from './exports/export-pages.js';
import { ExportWriter } from './exports/export-writer.js';
import { ExportWorker } from './exports/export.worker.js';
import { ExportsHandler } from './exports/exports.handler.js';
import { Exports } from './exports/exports.js';
import { AppendRecordsHandler } from './intake/append-records.handler.js';
import { DueRecordsWorker } from './intake/due-records.worker.js';
import { EventRecords } from './intake/event-records.consumer.js';
import { OperatorRecords } from './intake/operator-records.js';
import { RecordOperatorReadHandler } from './intake/record-operator-read.handler.js';
import { PseudonymMappings } from './privacy/pseudonyms.js';
import { PendingRecords } from './quarantine/pending-records.js';
import { EntryDecryption } from './query/entry-decryption.js';
import { FollowEventsHandler } from './query/follow-events.handler.js';
import { GetEventHandler } from './query/get-event.handler.js';
import { ListEventsHandler } from './query/list-events.handler.js';
import { ListLogsHandler } from './query/list-logs.handler.js';
import { Partitions } from './retention/partitions.js';
import { AuditKeyRotation } from './rotation/key-rotation.js';
import { BrokenLogs } from './transparency/broken-logs.js';
import { CheckpointFiles } from './transparency/checkpoint-files.js';
import { CheckpointPublisher } from './transparency/checkpoint-publisher.js';
import { CheckpointHandler } from './transparency/checkpoint.handler.js';
import { Checkpoints } from './transparency/checkpoints.js';
import { Cosignatures } from './transparency/cosignatures.js';
import { ProofHandler } from './transparency/proof.handler.js';
import { CosigningWorker } from './witnesses/cosigning.worker.js';
import { WitnessClient } from './witnesses/witness-client.js';

@Module({
  controllers: [
    AppendRecordsHandler,
    RecordOperatorReadHandler,
    CountDeniedRequestsHandler,
    ListEventsHandler,
    ListLogsHandler,
    FollowEventsHandler,
    GetEventHandler,
    CheckpointHandler,
    ProofHandler,
    ExportEntriesHandler,
    ReadAnalyticsHandler,
    ExportsHandler,
    ReadersHandler,
    quarantineController(quarantines.audit),
  ],
  providers: [
    outboxProvider(streams.audit),
    Idempotency,
    ClearStoredResponses,
    AuditLog,
    Sequencer,
    Partitions,
    PseudonymMappings,
    AuditKeyRotation,
    EventRecords,
    OperatorRecords,
    PendingRecords,
    DeniedRequestCounts,
    DueRecordsWorker,
    EntryDecryption,
    LogPages,
    Exports,
    ExportChunks,
    ExportEvents,
    ExportExpiry,
    ExportPages,
    ExportWriter,
    { provide: MakerRights, inject: [Bus], useFactory: (bus: Bus) => new MakerRights(bus, 'audit') },
    ExportWorker,
    Checkpoints,
    CheckpointFiles,
    CheckpointPublisher,
    GrownLogs,
    SignedLogs,
    GrowthAnnouncements,
    BrokenLogs,
    RollUps,
    RollUpWorker,
    Cosignatures,
    CosigningWorker,
    WitnessClient,
    EntryStream,
    EntryPublisher,
    PublishedLogs,
    ReaderConsumers,
    Readers,
    outboundProvider,
  ],
})
export class AuditModule {}
