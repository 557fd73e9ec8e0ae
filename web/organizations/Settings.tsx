import { useState } from 'react'
import { CopyField } from '../shared/components/CopyField.tsx'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { ClientCode } from './ClientCode.tsx'
import { Controls } from './Controls.tsx'
import { DeleteOrganization } from './DeleteOrganization.tsx'
import { LeaveOrganization } from './LeaveOrganization.tsx'
import { Metadata } from './Metadata.tsx'
import { NameForm } from './NameForm.tsx'
import { OrganizationPage, type Shown } from './OrganizationPage.tsx'
import { OwnStepMissing } from './OwnStepMissing.tsx'
import { RequireTwoStep } from './RequireTwoStep.tsx'
import { SlugForm } from './SlugForm.tsx'
import { TransferOwnership } from './TransferOwnership.tsx'

export function Settings() {
  return <OrganizationPage heading="Settings">{(shown) => <SettingsOf {...shown} />}</OrganizationPage>
}

function SettingsOf({ overview, obstacles }: Shown) {
  const { organization } = overview
  const [newOwner, setNewOwner] = useState<string | null>(null)
  return (
    <>
      <section className="card" aria-labelledby="name">
        <h2 id="name">Name and address</h2>
        <Controls obstacle={obstacles.manage}>
          <NameForm organization={organization} />
          <SlugForm organization={organization} />
        </Controls>
        <CopyField label="Id of the organization" value={organization.id} />
      </section>
      <section className="card" aria-labelledby="client-code">
        <h2 id="client-code">Client code in tokens</h2>
        <Controls obstacle={obstacles.manage}>
          <ClientCode overview={overview} />
        </Controls>
      </section>
      <section className="card" aria-labelledby="two-step">
        <h2 id="two-step">Two-step verification</h2>
        {obstacles.own === undefined && !organization.requireTwoFactor && (
          <OwnStepMissing organizationName={organization.name} />
        )}
        <Controls obstacle={obstacles.own}>
          <RequireTwoStep organization={organization} />
        </Controls>
      </section>
      <section className="card" aria-labelledby="metadata">
        <h2 id="metadata">Metadata</h2>
        <Controls obstacle={obstacles.manage}>
          <Metadata organization={organization} />
        </Controls>
      </section>
      <section className="card" aria-labelledby="ownership">
        <h2 id="ownership">Transfer the ownership</h2>
        <DoneNotice>
          {newOwner !== null && `${newOwner} is an owner now, and you are an admin. Both of you get an email.`}
        </DoneNotice>
        {obstacles.own === undefined ? (
          <TransferOwnership overview={overview} onTransferred={setNewOwner} />
        ) : (
          <p className="obstacle">{obstacles.own}</p>
        )}
      </section>
      <section className="card" aria-labelledby="leaving">
        <h2 id="leaving">Leave the organization</h2>
        <LeaveOrganization overview={overview} />
      </section>
      <section className="card" aria-labelledby="deletion">
        <h2 id="deletion">Delete the organization</h2>
        <Controls obstacle={obstacles.own}>
          <DeleteOrganization overview={overview} />
        </Controls>
      </section>
    </>
  )
}
