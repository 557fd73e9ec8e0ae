import { useEffect, useEffectEvent } from 'react'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { ServiceTiles } from '../shared/components/ServiceTiles.tsx'
import { findDestination, useInteraction } from '../shared/interaction/interaction.ts'
import { resume } from '../shared/interaction/resume.ts'

/** A user who came from an app or another service returns there immediately. */
export function Welcome({ organizationName }: { organizationName: string }) {
  const { data: interaction, isLoading } = useInteraction()
  const destination = findDestination(interaction)
  const isLeaving = destination !== null
  const leave = useEffectEvent(() => destination && resume(destination))

  useEffect(() => {
    if (isLeaving) leave()
  }, [isLeaving])

  return (
    <Page heading={`Welcome to ${organizationName}`} lead="You have joined, and you are signed in.">
      {isLoading || isLeaving ? (
        <Loading />
      ) : (
        <>
          <ServiceTiles />
          <AccountLink />
        </>
      )}
    </Page>
  )
}
