/** What a page shows with the owner's texts in one language, as far as there are any. Pure. */
import { allInLanguage, inLanguage } from '../../communication/stored-pages/translations.ts'
import type { IncidentView, MaintenanceView, PageModel } from './model.ts'

type Event = Pick<IncidentView, 'translations' | 'services' | 'updates'>

const eventIn = <T extends Event>(event: T, lang: string): T => ({
  ...inLanguage(event, lang),
  services: allInLanguage(event.services, lang),
  updates: allInLanguage(event.updates, lang),
})

export const incidentIn = (incident: IncidentView, lang: string): IncidentView => eventIn(incident, lang)

export const maintenanceIn = (maintenance: MaintenanceView, lang: string): MaintenanceView =>
  eventIn(maintenance, lang)

export const modelIn = (model: PageModel, lang: string): PageModel => ({
  ...model,
  branding: inLanguage(model.branding, lang),
  cards: model.cards.map((card) => ({
    ...inLanguage(card, lang),
    services: allInLanguage(card.services, lang).map((service) => ({
      ...service,
      because: allInLanguage(service.because, lang),
    })),
  })),
  open: model.open.map((each) => eventIn(each, lang)),
  past: model.past.map((each) => eventIn(each, lang)),
  maintenance: model.maintenance.map((each) => eventIn(each, lang)),
})
