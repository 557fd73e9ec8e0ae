import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { type Link as EmailedLink, linkQuery } from '../shared/api/links.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { usedLinkSentences } from '../shared/format/used-link-sentences.ts'
import { forgetLinkSecret, useLinkSecret } from '../shared/routing/link-secret.ts'
import { IncompleteLink } from './IncompleteLink.tsx'

/** The page does not ask for a session, so it does not lead to sign-in when it is loaded again. */
const UNAUTHORIZED = 'You are no longer signed in. Sign in, then open the link again.'

type LinkPageProps = {
  heading: string
  /** What the button does, with the email addresses of the link. */
  lead: (link: EmailedLink) => ReactNode
  action: (token: string) => Promise<unknown>
  label: string
  pendingLabel: string
  kind?: 'main' | 'danger'
  /** Advice for a link that has been used or has expired. */
  remedy: string
  done: { heading: string; lead: string; next: { label: string; path: string } }
}

/**
 * A page of an emailed link. Only its button uses the link, because mail scanners open links too. Another link that is
 * opened in the tab starts anew.
 */
export function LinkPage(props: LinkPageProps) {
  const { heading, done } = props
  const secret = useLinkSecret()
  const [usedSecret, setUsedSecret] = useState<string | null>(null)

  if (secret === null) return <IncompleteLink heading={heading} />
  if (secret === usedSecret) {
    return (
      <Page heading={done.heading} lead={done.lead}>
        <Next {...done.next} />
      </Page>
    )
  }
  return <Question key={secret} {...props} secret={secret} onDone={() => setUsedSecret(secret)} />
}

function Question(props: LinkPageProps & { secret: string; onDone: () => void }) {
  const { heading, lead, action, label, pendingLabel, kind = 'main', remedy, done, secret, onDone } = props
  const { data: link, error: unusable, refetch } = useQuery(linkQuery(secret))
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => action(secret),
    onSuccess: () => {
      forgetLinkSecret()
      forgetSession()
      onDone()
    },
  })
  const sentences = { ...usedLinkSentences(remedy), UNAUTHORIZED }
  const failure = error ?? (link === undefined ? unusable : null)

  if (hasCode(failure, 'INVALID_TOKEN')) {
    return (
      <Page heading={heading}>
        <FailureNotice error={failure} sentences={sentences} />
        <Next {...done.next} />
      </Page>
    )
  }
  if (link === undefined) {
    return (
      <Page heading={heading}>
        {unusable ? <FailureNotice error={unusable} sentences={sentences} retry={refetch} /> : <Loading />}
      </Page>
    )
  }
  return (
    <Page heading={heading} lead={lead(link)}>
      {error && <FailureNotice error={error} sentences={sentences} />}
      <ActionButton kind={kind} isPending={isPending} pendingLabel={pendingLabel} onPress={() => mutate()}>
        {label}
      </ActionButton>
    </Page>
  )
}

function Next({ label, path }: LinkPageProps['done']['next']) {
  return (
    <Link href={path} className="button button-main">
      {label}
    </Link>
  )
}
