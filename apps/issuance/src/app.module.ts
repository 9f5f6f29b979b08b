import { streams } from '@holdfast/contracts';
import { outboxProvider } from '@holdfast/bus';
import { Module } from '@nestjs/common';
import { CredentialTypes } from './credentials/credential-types.js';
import { EraseSubjectHandler } from './erasure/erase-subject.handler.js';
import { ClearAnswers } from './idempotency/clear-answers.js';
import { CreateOfferHandler } from './offers/create-offer.handler.js';
import { WithdrawOfferHandler } from './offers/withdraw-offer.handler.js';

@Module({
  controllers: [CreateOfferHandler, WithdrawOfferHandler, EraseSubjectHandler],
  providers: [outboxProvider(streams.issuance, 'subjects'), CredentialTypes, ClearAnswers],
})
export class IssuanceModule {}
