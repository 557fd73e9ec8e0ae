import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { clearQueries } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { usedUp } from '../shared/format/used-up.ts'
import { useLinkSecret } from '../shared/routing/link-secret.ts'
import { IncompleteLink } from './IncompleteLink.tsx'

type LinkPageProps = {
  heading: string
  lead: ReactNode
  confirm: (token: string) => Promise<unknown>
  label: string
  pendingLabel: string
  kind?: 'main' | 'danger'
  /** What to do when the link has been used or has expired. */
  remedy: string
  done: { heading: string; lead: string; next: { label: string; path: string } }
}

/** A page that a letter's link opens. Opening does nothing, since mail scanners open links too; its button does. */
export function LinkPage(props: LinkPageProps) {
  const { heading, lead, confirm, label, pendingLabel, kind, remedy, done } = props
  const secret = useLinkSecret()
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: confirm,
    onSuccess: clearQueries,
  })

  if (isSuccess) {
    return (
      <Page heading={done.heading} lead={done.lead}>
        <Link href={done.next.path} className="button button-main">
          {done.next.label}
        </Link>
      </Page>
    )
  }
  if (secret === null) return <IncompleteLink heading={heading} />
  return (
    <Page heading={heading} lead={lead}>
      {error && <FailureNotice error={error} sentences={usedUp(remedy)} />}
      <ActionButton
        kind={kind ?? 'main'}
        isPending={isPending}
        pendingLabel={pendingLabel}
        onPress={() => mutate(secret)}
      >
        {label}
      </ActionButton>
    </Page>
  )
}
