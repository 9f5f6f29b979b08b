import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, change, dataOf, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { usePeopleNames } from '../api/people-names.ts';
import { queryClient } from '../api/query-client.ts';
import { instant } from '../parts/format.ts';
import { shortened } from '../parts/identifier.ts';
import { PagedTable } from '../parts/paged-table.tsx';
import { pageOf, paging } from '../parts/pages.ts';
import { PersonPicker } from '../parts/person-picker.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Section } from '../parts/section.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { Undo } from '../parts/undo.tsx';
import { useRemoval } from '../parts/use-removal.ts';

type Assignment = Schemas['Assignment'];

const assignmentsQuery = (clientId: string) =>
  infiniteQueryOptions({
    queryKey: ['app', clientId, 'assignments'],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/o/{shortId}/api/admin/apps/{clientId}/assignments', {
          params: { path: { ...path, clientId }, query: pageOf(pageParam) },
        }),
      ),
    ...paging,
  });

/** Which people and groups sign in to an app of people. */
export function AppAssignments({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const { may } = useMe();
  const assignments = useInfiniteQuery(assignmentsQuery(clientId));
  const groups = useQuery({
    queryKey: ['groups', 'names'],
    queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/groups', { params: { path, query: { limit: 200 } } })),
    enabled: may('groups:manage'),
  });
  const groupNameOf = (id: string) => groups.data?.items.find((group) => group.id === id)?.name ?? shortened(id);
  const users = assignments.data?.pages.flatMap(({ items }) => items.flatMap(({ user }) => user ?? [])) ?? [];
  const names = usePeopleNames(users);
  const reload = () => queryClient.invalidateQueries({ queryKey: ['app', clientId, 'assignments'] });
  // Without the row its name is not read any more.
  const [ended, setEnded] = useState<Assignment & { name: string }>();
  const nameOf = ({ user, group }: Assignment) =>
    user === undefined ? t('assignments.ofGroup', { name: groupNameOf(group!) }) : (names.get(user) ?? shortened(user));
  const send = (body: Schemas['NewAssignment']) =>
    change({ assign: clientId, ...body }, (header) =>
      api.POST('/o/{shortId}/api/admin/apps/{clientId}/assignments', {
        params: { path: { ...path, clientId }, header },
        body,
      }),
    );
  const assign = useMutation({ mutationFn: send, onSuccess: reload });
  const end = useRemoval<Assignment>({
    queryKey: assignmentsQuery(clientId).queryKey,
    keyOf: ({ id }) => id,
    send: ({ id }) =>
      change({ unassign: id }, (header) =>
        api.DELETE('/o/{shortId}/api/admin/apps/{clientId}/assignments/{assignment}', {
          params: { path: { ...path, clientId, assignment: id }, header },
        }),
      ),
    onDone: reload,
  });
  const error = assign.error ?? end.error;
  return (
    <Section title={t('assignments.title')} text={t('assignments.body')}>
      <Group align="flex-end">
        <PersonPicker label={t('assignments.person')} onChoose={(user) => assign.mutate({ user })} />
        {groups.data && groups.data.items.length > 0 && (
          <NativeSelect
            label={t('assignments.group')}
            data={[{ value: '', label: '' }, ...groups.data.items.map(({ id, name }) => ({ value: id, label: name }))]}
            value=""
            onChange={(event) => event.currentTarget.value && assign.mutate({ group: event.currentTarget.value })}
          />
        )}
      </Group>
      {error && !needsStepUp(error) && <ProblemNotice error={error} />}
      <StepUp error={assign.error} onCancel={assign.reset} />
      {ended && end.isSuccess && (
        <Undo
          key={ended.id}
          text={t('assignments.ended', { name: ended.name })}
          run={() => send(ended.user === undefined ? { group: ended.group! } : { user: ended.user }).then(reload)}
          onEnd={() => setEnded(undefined)}
        />
      )}
      <PagedTable<Assignment>
        query={assignments}
        keyOf={({ id }) => id}
        none={<Text size="sm">{t('assignments.none')}</Text>}
        columns={[
          {
            title: t('requests.who'),
            cell: (assignment) => <span dir="auto">{nameOf(assignment)}</span>,
          },
          { title: t('entitlements.since'), cell: ({ createdAt }) => instant(createdAt) },
          {
            title: t('entitlements.until'),
            cell: ({ expiresAt }) => (expiresAt === undefined ? '–' : instant(expiresAt)),
          },
          {
            title: t('list.actions'),
            cell: (assignment) => (
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => {
                  // A new one would not end when this one would have.
                  if (assignment.expiresAt === undefined) setEnded({ ...assignment, name: nameOf(assignment) });
                  end.mutate(assignment);
                }}
              >
                {t('assignments.end')}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}
