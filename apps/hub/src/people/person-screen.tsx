import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Role } from '@holdfast/contracts';
import { api, change, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { Facts } from '../parts/facts.tsx';
import { instant } from '../parts/format.ts';
import { ScreenLink } from '../parts/link.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { useChoice } from '../parts/use-choice.ts';
import { useKnown } from '../parts/use-known.ts';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { newLinkKey, personQuery, reloadPerson, type Person } from './people-queries.ts';
import { PersonActions } from './person-actions.tsx';
import { RolesField } from './roles-field.tsx';

/** One person: who they are, their roles, and their end. */
export function PersonScreen() {
  const { t } = useTranslation();
  const { user } = useParams({ from: '/people/$user' });
  const { me, may } = useMe();
  const { data: person } = useSuspenseQuery(personQuery(user));
  const link = useKnown<string>(newLinkKey(user));
  const isMe = me.id === person.id;
  return (
    <Screen title={person.name} actions={may('users:manage') && !isMe && <PersonActions person={person} />}>
      {link !== undefined && (
        <ShownOnce
          title={t('invite.linkOnce')}
          text={t('invite.linkOnceBody', { name: person.name })}
          label={t('invite.link')}
          value={link}
        />
      )}
      {isMe && <Text>{t('person.you')}</Text>}
      <Facts
        facts={{
          [t('people.email')]: person.email,
          [t('people.state')]: t(`people.${person.status}`),
          [t('person.invitedAt')]: instant(person.createdAt),
          [t('people.lastSignIn')]:
            person.lastSignInAt === undefined ? t('people.never') : instant(person.lastSignInAt),
        }}
      />
      {may('audit:read') && (
        <ScreenLink to="/audit-log" search={{ actor: person.id }}>
          {t('person.log')}
        </ScreenLink>
      )}
      <PersonRoles person={person} mayChange={may('roles:manage')} />
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/users/${user}` }} operation="users:read" />
    </Screen>
  );
}

function PersonRoles({ person, mayChange }: { person: Person; mayChange: boolean }) {
  const { t } = useTranslation();
  const { chosen: roles, setChosen, keep } = useChoice(`roles ${person.id}`, person.roles);
  const isChanged = [...roles].sort().join() !== [...person.roles].sort().join();
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: () => {
      const body = { roles: roles as Role[] };
      return change({ roles: body, user: person.id }, (header) =>
        api.POST('/o/{shortId}/api/admin/users/{user}/roles', {
          params: { path: { ...path, user: person.id }, header },
          body,
        }),
      );
    },
    onSuccess: async () => {
      await reloadPerson(person.id);
      setChosen(undefined);
    },
  });
  return (
    <Stack gap="sm" maw={640}>
      <RolesField value={roles} onChange={setChosen} disabled={!mayChange} />
      {error && !needsStepUp(error) && <ProblemNotice error={error} />}
      <StepUp error={error} onCancel={reset} onLeave={keep} />
      {mayChange && isChanged && (
        <Button style={{ alignSelf: 'flex-start' }} loading={isPending} onClick={() => mutate()}>
          {t('person.save')}
        </Button>
      )}
      <span role="status">{isSuccess && !isChanged ? t('person.saved') : ''}</span>
    </Stack>
  );
}
