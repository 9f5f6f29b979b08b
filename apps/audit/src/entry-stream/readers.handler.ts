import { Controller } from '@nestjs/common';
import {
  createAuditReader,
  deleteAuditReader,
  listAuditReaders,
  rewindAuditReader,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Readers } from './readers.js';

@Controller()
export class ReadersHandler {
  constructor(private readonly readers: Readers) {}

  @Handles(createAuditReader)
  async create(
    request: RequestOf<typeof createAuditReader>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createAuditReader>> {
    return { reader: await this.readers.create(request, context) };
  }

  @Handles(listAuditReaders)
  async list(
    _: RequestOf<typeof listAuditReaders>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listAuditReaders>> {
    return { items: await this.readers.list(context) };
  }

  @Handles(rewindAuditReader)
  async rewind(
    { id, after }: RequestOf<typeof rewindAuditReader>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof rewindAuditReader>> {
    return { reader: await this.readers.rewind(id, after, context) };
  }

  @Handles(deleteAuditReader)
  async delete(
    { id }: RequestOf<typeof deleteAuditReader>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof deleteAuditReader>> {
    await this.readers.delete(id, context);
    return {};
  }
}
