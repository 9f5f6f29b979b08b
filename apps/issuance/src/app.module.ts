import { streams } from '@holdfast/contracts';
import { outboxProvider } from '@holdfast/bus';
import { Module } from '@nestjs/common';
import { BeginClaimHandler } from './claims/begin-claim.handler.js';
import { ClearChallenges } from './claims/clear-challenges.js';
import { CompleteClaimHandler } from './claims/complete-claim.handler.js';
import { GetClaimHandler } from './claims/get-claim.handler.js';
import { CreateCredentialTypeHandler } from './credential-types/create-credential-type.handler.js';
import { ListCredentialTypesHandler } from './credential-types/list-credential-types.handler.js';
import { UpdateCredentialTypeHandler } from './credential-types/update-credential-type.handler.js';
import { CredentialTypes } from './credentials/credential-types.js';
import { GetIssuedHandler } from './credentials/get-issued.handler.js';
import { ManageCredentialHandler } from './credentials/manage-credential.handler.js';
import { EraseSubjectHandler } from './erasure/erase-subject.handler.js';
import { ClearAnswers } from './idempotency/clear-answers.js';
import { CreateOfferHandler } from './offers/create-offer.handler.js';
import { WithdrawOfferHandler } from './offers/withdraw-offer.handler.js';
import { Organizations } from './settings/organizations.js';
import { Settings } from './settings/settings.js';
import { BeginSignInHandler } from './sign-in/begin-sign-in.handler.js';
import { CompleteSignInHandler } from './sign-in/complete-sign-in.handler.js';
import { CustomerStatusHandler } from './sign-in/customer-status.handler.js';

@Module({
  controllers: [
    CreateOfferHandler, WithdrawOfferHandler, GetIssuedHandler, ManageCredentialHandler, EraseSubjectHandler,
    GetClaimHandler, BeginClaimHandler, CompleteClaimHandler,
    BeginSignInHandler, CompleteSignInHandler, CustomerStatusHandler,
    ListCredentialTypesHandler, CreateCredentialTypeHandler, UpdateCredentialTypeHandler,
  ],
  providers: [outboxProvider(streams.issuance, 'subjects'), CredentialTypes, Settings, Organizations, ClearAnswers, ClearChallenges],
})
export class IssuanceModule {}
