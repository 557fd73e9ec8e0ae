import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { clearQueries } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { usedLinkSentences } from '../shared/format/used-link-sentences.ts'
import { useLinkSecret } from '../shared/routing/link-secret.ts'
import { IncompleteLink } from './IncompleteLink.tsx'

type LinkPageProps = {
  heading: string
  lead: ReactNode
  action: (token: string) => Promise<unknown>
  label: string
  pendingLabel: string
  kind?: 'main' | 'danger'
  /** Advice for a link that has been used or has expired. */
  remedy: string
  done: { heading: string; lead: string; next: { label: string; path: string } }
}

/** A page of an emailed link. Only its button uses the link, because mail scanners open links too. */
export function LinkPage(props: LinkPageProps) {
  const { heading, lead, action, label, pendingLabel, kind, remedy, done } = props
  const secret = useLinkSecret()
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: action,
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
      {error && <FailureNotice error={error} sentences={usedLinkSentences(remedy)} />}
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
