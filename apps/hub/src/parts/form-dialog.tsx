import { Button, Group, Stack, type ButtonProps } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../api/problem.ts';
import { Dialog } from './dialog.tsx';
import { draftOf } from './draft.ts';
import { ProblemNotice } from './problem-notice.tsx';
import { needsStepUp, StepUp } from './step-up.tsx';

interface Props<Values extends Record<string, unknown>, Result> {
  /** Of the button that opens it. */
  label: string;
  /** Of the dialog; the label without it. */
  title?: string;
  submit: string;
  size?: ButtonProps['size'];
  variant?: ButtonProps['variant'];
  /** Names its draft: what was typed outlives a reload and a sign-in. */
  name: string;
  initial: Values;
  fields: (form: UseFormReturnType<Values>, issueOf: (member: string) => string | undefined) => ReactNode;
  run: (values: Values) => Promise<Result>;
  onDone?: (result: Result) => unknown;
}

/** A button that opens a form in a dialog. */
export function FormDialog<Values extends Record<string, unknown>, Result>(props: Props<Values, Result>) {
  const { label, title = label, submit, size = 'sm', variant = 'default', name, initial, fields, run, onDone } = props;
  const { t } = useTranslation();
  const draft = draftOf(sessionStorage, name, { ...initial, isOpen: false });
  const [isOpen, setOpen] = useState(() => draft.read().isOpen);
  const form = useForm<Values>({
    initialValues: draft.read(),
    onValuesChange: (values) => draft.store({ ...values, isOpen: false }),
  });
  // After a sign-in the dialog is open again, once.
  useEffect(() => draft.store({ ...draft.read(), isOpen: false }), []);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: run,
    onSuccess: async (result) => {
      draft.clear();
      form.setValues(initial);
      setOpen(false);
      await onDone?.(result);
    },
  });
  const close = () => {
    setOpen(false);
    reset();
  };
  const issueOf = (member: string) => (error instanceof Problem ? error.issueOf(member) : undefined);
  return (
    <>
      <Button variant={variant} size={size} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog opened={isOpen && !needsStepUp(error)} onClose={close} title={title}>
        <form onSubmit={form.onSubmit((values) => mutate(values))}>
          <Stack>
            {fields(form, issueOf)}
            {error && <ProblemNotice error={error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t('app.cancel')}
              </Button>
              <Button type="submit" loading={isPending}>
                {submit}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
      <StepUp error={error} onCancel={reset} onLeave={() => draft.store({ ...form.values, isOpen: true })} />
    </>
  );
}
