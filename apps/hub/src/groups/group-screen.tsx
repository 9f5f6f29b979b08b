import { Button, Text, Textarea, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, change, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { usePeopleNames } from '../api/people-names.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { Facts } from '../parts/facts.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { instant } from '../parts/format.ts';
import { shortened } from '../parts/identifier.ts';
import { ScreenLink } from '../parts/link.tsx';
import { ObjectId } from '../parts/object-id.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { PersonPicker } from '../parts/person-picker.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { Section } from '../parts/section.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { Undo } from '../parts/undo.tsx';
import { useRemoval } from '../parts/use-removal.ts';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { groupQuery, membersQuery, reloadGroup, type Group } from './group-queries.ts';

/** One group, and who is in it. */
export function GroupScreen() {
  const { t } = useTranslation();
  const { group: id } = useParams({ from: '/groups/$group' });
  const { data: group } = useSuspenseQuery(groupQuery(id));
  return (
    <Screen
      title={group.name}
      actions={
        <>
          <EditGroup group={group} />
          <DeleteGroup group={group} />
        </>
      }
    >
      <Facts
        facts={{
          [t('groups.description')]: group.description,
          [t('list.created')]: instant(group.createdAt),
          ID: <ObjectId id={id} />,
        }}
      />
      <Members group={group} />
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/groups/${id}` }} operation="groups:manage" />
    </Screen>
  );
}

function Members({ group: { id } }: { group: Group }) {
  const { t } = useTranslation();
  const members = useInfiniteQuery(membersQuery(id));
  const ids = members.data?.pages.flatMap(({ items }) => items.map(({ user }) => user)) ?? [];
  const names = usePeopleNames(ids);
  const send = (user: string, what: 'members' | 'members/remove') =>
    change({ [what]: id, user }, (header) =>
      api.POST(`/o/{shortId}/api/admin/groups/{group}/${what}`, {
        params: { path: { ...path, group: id }, header },
        body: { users: [user] },
      }),
    );
  // Without the row its name is not read any more.
  const [removed, setRemoved] = useState<{ user: string; name: string }>();
  const nameOf = (user: string) => names.get(user) ?? shortened(user);
  const add = useMutation({
    mutationFn: (user: string) => send(user, 'members'),
    onSuccess: () => reloadGroup(id),
  });
  const remove = useRemoval<Schemas['GroupMember']>({
    queryKey: membersQuery(id).queryKey,
    keyOf: ({ user }) => user,
    send: ({ user }) => send(user, 'members/remove'),
    onDone: () => reloadGroup(id),
  });
  const error = add.error ?? remove.error;
  return (
    <Section title={t('groups.members')}>
      <PersonPicker label={t('groups.add')} onChoose={(user) => add.mutate(user)} />
      {error && !needsStepUp(error) && <ProblemNotice error={error} />}
      <StepUp error={add.error} onCancel={add.reset} />
      {removed !== undefined && remove.isSuccess && (
        <Undo
          key={removed.user}
          text={t('groups.removed', { name: removed.name })}
          run={() => send(removed.user, 'members').then(() => reloadGroup(id))}
          onEnd={() => setRemoved(undefined)}
        />
      )}
      <PagedTable
        query={members}
        keyOf={({ user }) => user}
        none={<Text size="sm">{t('groups.noMembers')}</Text>}
        columns={[
          {
            title: t('people.name'),
            cell: ({ user }) => (
              <ScreenLink to="/people/$user" params={{ user }} dir="auto">
                {nameOf(user)}
              </ScreenLink>
            ),
          },
          { title: t('groups.since'), cell: ({ addedAt }) => instant(addedAt) },
          {
            title: t('list.actions'),
            cell: (member) => (
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => {
                  setRemoved({ user: member.user, name: nameOf(member.user) });
                  remove.mutate(member);
                }}
              >
                {t('groups.remove')}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}

function EditGroup({ group: { id, name, description = '' } }: { group: Group }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      label={t('groups.edit')}
      submit={t('groups.save')}
      name={`group-${id}`}
      initial={{ name, description }}
      fields={(form, issueOf) => (
        <>
          <TextInput label={t('groups.name')} required {...form.getInputProps('name')} error={issueOf('name')} />
          <Textarea
            label={t('groups.description')}
            {...form.getInputProps('description')}
            error={issueOf('description')}
          />
        </>
      )}
      run={(values) => {
        const body = { name: values.name.trim(), description: values.description.trim() || null };
        return change({ group: id, ...body }, (header) =>
          api.PATCH('/o/{shortId}/api/admin/groups/{group}', {
            params: { path: { ...path, group: id }, header },
            body,
          }),
        );
      }}
      onDone={() => reloadGroup(id)}
    />
  );
}

function DeleteGroup({ group: { id, name } }: { group: Group }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Action
      isFinal
      label={t('groups.delete')}
      confirm={{
        title: t('groups.deleteTitle', { name }),
        text: t('groups.deleteBody'),
        typed: { label: t('groups.deleteType'), text: name },
      }}
      run={() =>
        change({ deleteGroup: id }, (header) =>
          api.DELETE('/o/{shortId}/api/admin/groups/{group}', { params: { path: { ...path, group: id }, header } }),
        )
      }
      onDone={async () => {
        await navigate({ to: '/groups' });
        queryClient.removeQueries({ queryKey: ['group', id] });
        await queryClient.invalidateQueries({ queryKey: ['groups'] });
      }}
    />
  );
}
