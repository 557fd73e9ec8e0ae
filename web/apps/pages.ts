import { ChooseOrganization } from './ChooseOrganization.tsx'
import { Consent } from './Consent.tsx'
import { Device } from './Device.tsx'
import { SecondStep } from './SecondStep.tsx'
import './apps.css'

export const pages = { ChooseOrganization, Consent, Device, SecondStep }
