import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MakerRights } from '@holdfast/access';
import { AuditWriter, RecordOutbox } from '@holdfast/audit-client';
import { quarantines, streams } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { ClearStoredResponses, Idempotency, outboxProvider, quarantineController } from '@holdfast/outbox';
import { ClearChallenges } from '@holdfast/passkeys';
import { outboundProvider } from '@holdfast/service';
import { BeginClaimHandler } from './claims/begin-claim.handler.js';
import { CompleteClaimHandler } from './claims/complete-claim.handler.js';
import { CountPasskeysHandler } from './claims/count-passkeys.handler.js';
import { Claims } from './claims/find-claim.js';
import { GetClaimHandler } from './claims/get-claim.handler.js';
import { watermarkDatabase } from './config.js';
import { CreateCredentialTypeHandler } from './credential-types/create-credential-type.handler.js';
import { CredentialTypes } from './credential-types/credential-types.js';
import { ListCredentialTypesHandler } from './credential-types/list-credential-types.handler.js';
import { UpdateCredentialTypeHandler } from './credential-types/update-credential-type.handler.js';
import { GetIssuedHandler } from './credentials/get-issued.handler.js';
import { ManageCredentialHandler } from './credentials/manage-credential.handler.js';
import { CustomerInserts } from './customer/customer-inserts.js';
import { Customers } from './customer/customers.js';
import { entities } from './entities.js';
import { CustomerErasureConfirmations } from './erasure/customer-erasure-confirmations.js';
import { EraseSubjectHandler } from './erasure/erase-subject.handler.js';
import { ExpirationWorker } from './expiration/expiration-worker.js';
import { AdminOffersHandler } from './offers/admin-offers.handler.js';
import { CreateOfferHandler } from './offers/create-offer.handler.js';
import { EndedOffersWorker } from './offers/ended-rights/ended-offers.worker.js';
import { LostRightsConsumer } from './offers/ended-rights/lost-rights.consumer.js';
import { GetOfferHandler } from './offers/get-offer.handler.js';
import { WithdrawOfferHandler } from './offers/withdraw-offer.handler.js';
import { AddCustomerPasskeyHandler } from './passkeys/add-customer-passkey.handler.js';
import { GetCustomerAccountHandler } from './passkeys/get-customer-account.handler.js';
import { ClearPasskeyLinks } from './passkeys/links/clear-passkey-links.js';
import { LinkedPasskeyHandler } from './passkeys/links/linked-passkey.handler.js';
import { PasskeyLinkHandler } from './passkeys/links/passkey-link.handler.js';
import { ManageCustomerPasskeyHandler } from './passkeys/manage-customer-passkey.handler.js';
import { PasskeyAdditions } from './passkeys/passkey-additions.js';
import { RequireCustomerHandler } from './passkeys/require-customer.handler.js';
import { CustomerHandles } from './passkeys/user-handle.js';
import { AltchaProvider } from './presence/altcha.provider.js';
import { Apps } from './presence/apps.js';
import { ClearConsumedProofs } from './presence/consumed-proofs.js';
import { GetPresencePolicyHandler } from './presence/get-presence-policy.handler.js';
import { PresenceChallengeHandler } from './presence/presence-challenge.handler.js';
import { PresenceCheck } from './presence/presence-check.js';
import { PresenceOriginHandler } from './presence/presence-origin.handler.js';
import { PresencePolicies } from './presence/presence-policies.js';
import { SetPresencePolicyHandler } from './presence/set-presence-policy.handler.js';
import { TurnstileProvider } from './presence/turnstile.provider.js';
import { IssuanceKeyRotation } from './rotation/key-rotation.js';
import { Organizations } from './settings/organizations.js';
import { Settings } from './settings/settings.js';
import { BeginSignInHandler } from './sign-in/begin-sign-in.handler.js';
import { CompleteSignInHandler } from './sign-in/complete-sign-in.handler.js';
import { CustomerStatusHandler } from './sign-in/customer-status.handler.js';
import { Renewals } from './sign-in/renewals.js';

@Module({
  imports: [TypeOrmModule.forFeature(entities)],
  controllers: [
    CreateOfferHandler,
    GetOfferHandler,
    WithdrawOfferHandler,
    AdminOffersHandler,
    GetIssuedHandler,
    ManageCredentialHandler,
    EraseSubjectHandler,
    GetClaimHandler,
    BeginClaimHandler,
    CompleteClaimHandler,
    CountPasskeysHandler,
    GetCustomerAccountHandler,
    AddCustomerPasskeyHandler,
    ManageCustomerPasskeyHandler,
    PasskeyLinkHandler,
    LinkedPasskeyHandler,
    RequireCustomerHandler,
    BeginSignInHandler,
    CompleteSignInHandler,
    CustomerStatusHandler,
    ListCredentialTypesHandler,
    CreateCredentialTypeHandler,
    UpdateCredentialTypeHandler,
    PresenceChallengeHandler,
    PresenceOriginHandler,
    GetPresencePolicyHandler,
    SetPresencePolicyHandler,
    quarantineController(quarantines.issuance),
  ],
  providers: [
    outboxProvider(streams.issuance, { service: 'subjects', database: watermarkDatabase }),
    { provide: AuditWriter, inject: [Bus], useFactory: (bus: Bus) => new AuditWriter(bus) },
    RecordOutbox,
    { provide: MakerRights, inject: [Bus], useFactory: (bus: Bus) => new MakerRights(bus, 'issuance') },
    Claims,
    CustomerHandles,
    PasskeyAdditions,
    ClearPasskeyLinks,
    LostRightsConsumer,
    EndedOffersWorker,
    CredentialTypes,
    CustomerInserts,
    Customers,
    Idempotency,
    Renewals,
    ExpirationWorker,
    CustomerErasureConfirmations,
    Settings,
    Organizations,
    ClearStoredResponses,
    ClearChallenges,
    outboundProvider,
    PresenceCheck,
    PresencePolicies,
    AltchaProvider,
    TurnstileProvider,
    Apps,
    ClearConsumedProofs,
    IssuanceKeyRotation,
  ],
})
export class IssuanceModule {}
