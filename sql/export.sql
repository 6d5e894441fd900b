-- What people take out, by name: the columns of each export, in their order. Names stay; new columns go to the end.
-- The triggers keep everybody who is on the suppression list out of contacts; here nobody of them comes out either.

-- name: contacts
select
    contacts.email,
    contacts.email_type,
    contacts.name,
    contacts.role,
    case when contacts.phone_number in (select value from suppressions where kind = 'phone') is not true
        then contacts.phone_number end as phone,
    case when contacts.fax_number in (select value from suppressions where kind = 'phone') is not true
        then contacts.fax_number end as fax,
    domains.domain,
    business.business_name as business,
    business.main_category as category,
    business.street_address as street,
    business.city,
    business.state,
    business.zip,
    coalesce(business.country_code, domains.region) as country,
    contacts.source_url,
    contacts.method,
    contacts.created_at as found_at,
    contacts.updated_at as changed_at,
    contacts.id as contact_id
from contacts
join domains on domains.id = contacts.domain_id
left join lateral ({business}) as business on true
where domains.domain not in (select value from suppressions where kind = 'domain')
  and not engine.is_suppressed_address(contacts.email)
  and (contacts.email is not null
       or contacts.phone_number not in (select value from suppressions where kind = 'phone'))

-- name: domains
select
    domains.domain,
    domains.home_url,
    domains.alias_of,
    domains.is_parked,
    domains.title,
    domains.description,
    domains.language,
    domains.cms,
    domains.wordpress_version,
    domains.wordpress_theme,
    domains.has_elementor,
    domains.has_divi,
    domains.has_woocommerce,
    array(select jsonb_object_keys(domains.tech_stack) order by 1) as technologies,
    array(select given from unnest(domains.email_addresses) as given
          where not engine.is_suppressed_address(given)) as emails,
    array(select given from unnest(domains.phone_numbers) as given
          where given not in (select value from suppressions where kind = 'phone')) as phones,
    domains.facebook_url as facebook,
    domains.twitter_url as twitter,
    domains.linkedin_url as linkedin,
    domains.instagram_url as instagram,
    domains.youtube_url as youtube,
    business.business_name as business,
    business.main_category as category,
    business.city,
    coalesce(business.country_code, domains.region) as country,
    (select count(*) from contacts where contacts.domain_id = domains.id) as contacts,
    (select count(*) from pages where pages.domain_id = domains.id) as pages,
    domains.status,
    domains.status_result as result,
    domains.status_error as error,
    domains.sitemap_analysis_status as sitemap_status,
    domains.sitemap_analysis_result as sitemap_result,
    domains.sitemap_analysis_error as sitemap_error,
    domains.created_at as found_at,
    domains.updated_at as changed_at,
    domains.id as domain_id
from domains
left join lateral ({business}) as business on true
where domains.domain not in (select value from suppressions where kind = 'domain')

-- name: pages
select
    pages.url,
    domains.domain,
    pages.page_type,
    pages.title,
    pages.h1,
    pages.description,
    pages.word_count,
    pages.path_depth as depth,
    pages.honeybee_json #> '{{decision,confidence}}' as confidence,
    pages.page_curation_status as curation,
    pages.page_processing_status as processing,
    pages.page_processing_result as result,
    pages.page_processing_error as error,
    pages.contact_scrape_status as contact_status,
    pages.lead_source,
    pages.last_modified,
    pages.created_at as found_at,
    pages.updated_at as changed_at,
    pages.id as page_id
from pages
join domains on domains.id = pages.domain_id
where domains.domain not in (select value from suppressions where kind = 'domain')

-- name: business
select local_businesses.*
from local_businesses
where local_businesses.id = domains.local_business_id or local_businesses.domain = domains.domain
order by local_businesses.id = domains.local_business_id desc nulls last, local_businesses.created_at
limit 1
