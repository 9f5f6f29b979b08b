import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useAppNames } from '../api/app-names.ts';
import { credentialTypesQuery } from '../api/credential-types.ts';
import { shortId } from '../api/organization.ts';
import { Problem } from '../api/problem.ts';
import { draftOf } from '../parts/draft.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { makeOffer } from './customer-queries.ts';

const empty = { app: '', credentialType: '', offerExpiresIn: '259200' };
const lifetimes = ['3600', '86400', '259200', '1209600'] as const;

/** An offer to a new customer. The link is shown on the screen of the customer, once. */
export function NewOfferScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { apps } = useAppNames();
  const { data: types } = useQuery(credentialTypesQuery);
  const choices = apps.filter(({ mayOffer }) => mayOffer);
  const draft = draftOf(sessionStorage, 'new-offer', empty);
  const form = useForm({ initialValues: draft.read(), onValuesChange: draft.store });
  const app = form.values.app === '' ? (choices[0]?.clientId ?? '') : form.values.app;
  const body = {
    app,
    ...(form.values.credentialType.trim() !== '' && { credentialType: form.values.credentialType.trim() }),
    offerExpiresIn: Number(form.values.offerExpiresIn),
  };
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => makeOffer(body),
    onSuccess: async ({ subject }) => {
      draft.clear();
      await navigate({ to: '/customers/$subject', params: { subject } });
    },
  });
  const issueOf = (member: string) => (error instanceof Problem ? error.issueOf(member) : undefined);
  return (
    <Screen title={t('newOffer.title')} needs="offers:write">
      <form onSubmit={form.onSubmit(() => mutate())}>
        <Stack maw={640}>
          <Text>{t('newOffer.body')}</Text>
          {choices.length === 0 && <Text>{t('newOffer.noApp')}</Text>}
          <NativeSelect
            label={t('customers.app')}
            description={t('newOffer.appBody')}
            data={choices.map(({ clientId, name }) => ({ value: clientId, label: name }))}
            {...form.getInputProps('app')}
            value={app}
            error={issueOf('app')}
          />
          <NativeSelect
            label={t('newOffer.type')}
            data={[
              { value: '', label: t('newOffer.typeBody') },
              ...(types?.items ?? []).map(({ name, display }) => ({ value: name, label: display })),
            ]}
            {...form.getInputProps('credentialType')}
            error={issueOf('credentialType')}
          />
          <NativeSelect
            label={t('newOffer.expires')}
            data={lifetimes.map((value) => ({ value, label: t(`newOffer.in${value}`) }))}
            {...form.getInputProps('offerExpiresIn')}
            error={issueOf('offerExpiresIn')}
          />
          {error && !needsStepUp(error) && <ProblemNotice error={error} />}
          <StepUp error={error} onCancel={reset} />
          <Group>
            <Button type="submit" loading={isPending} disabled={choices.length === 0}>
              {t('newOffer.create')}
            </Button>
          </Group>
        </Stack>
      </form>
      <ViewAsApi
        call={{ method: 'POST', path: `/o/${shortId}/api/credentials/offers`, body: { ...body, app: undefined } }}
        operation="offers:write"
      />
    </Screen>
  );
}
