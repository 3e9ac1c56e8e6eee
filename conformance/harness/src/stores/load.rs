//! The stores and kube-apiserver under the same load, one after the other, in one run.

mod clients;
mod contender;
mod etcd;
mod fan_out;
mod report;
mod requests;

use std::time::{Duration, Instant};

use clients::{Clients, Next, Timings, Until};
use contender::{Contender, Running};
use report::{Figures, Held, Report};
use requests::{Created, LIST_SIZE};

use super::options::LoadOptions;
use crate::{
    connection::{Connection, Endpoint},
    process_figures::{cpu_time, resident_bytes},
};

/// How many clients send requests at the same time.
const CLIENTS: usize = 16;
/// Garbage that a server collects by itself is not counted as its memory.
const SETTLE: Duration = Duration::from_secs(10);
/// How long a server may take to answer after a start.
const START_TIMEOUT: Duration = Duration::from_mins(5);

/// Runs the comparison and prints the tables.
pub(super) fn run(options: &LoadOptions) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let mut report = Report::default();
    for contender in Contender::named(&options.stores)? {
        println!("{}", contender.name());
        let mut running = Running::start(contender, options)?;
        runtime.block_on(Measurement { options, report: &mut report, contender }.run(&mut running))?;
    }
    print!("{}", report.markdown());
    Ok(())
}

/// One contender's turn.
struct Measurement<'r> {
    options: &'r LoadOptions,
    report: &'r mut Report,
    contender: Contender,
}

impl Measurement<'_> {
    async fn run(&mut self, running: &mut Running) -> Result<(), String> {
        let endpoint = running.endpoint.clone();
        requests::prepare(endpoint.clone()).await?;
        let clients = Clients::connect(&endpoint, CLIENTS).await?;
        let created = Created::new(CLIENTS);
        let seconds = Duration::from_secs(self.options.seconds);
        // The same number for all, so that a fast server has no more objects than the others.
        let some = Until::Count(self.options.objects / 4);
        let until = Until::After(seconds);
        let clients =
            self.measure("create", running, clients, some, &|client| created.create(client)).await?;
        let clients = self.measure("get", running, clients, until, &|_| created.get()).await?;
        let clients = self.measure("patch", running, clients, until, &|client| created.patch(client)).await?;
        let list = format!("list of {LIST_SIZE}");
        let clients = self.measure(&list, running, clients, until, &|_| requests::list()).await?;
        self.fan_out(running, seconds).await?;
        self.fill(clients, &created).await?;
        self.hold(running, &created).await
    }

    /// Lets every client send requests, and notes what they cost.
    async fn measure(
        &mut self,
        operation: &str,
        running: &Running,
        clients: Clients,
        until: Until,
        next: Next<'_>,
    ) -> Result<Clients, String> {
        let (processes, start) = (running.processes(), Instant::now());
        let before = cpu_time(&processes);
        let (clients, timings) = clients.send(until, next).await?;
        let cpu = cpu_time(&processes).saturating_sub(before);
        self.note(operation, timings, cpu, start.elapsed());
        Ok(clients)
    }

    async fn fan_out(&mut self, running: &Running, duration: Duration) -> Result<(), String> {
        let (processes, start) = (running.processes(), Instant::now());
        let before = cpu_time(&processes);
        let timings = fan_out::measure(&running.endpoint, duration).await?;
        let cpu = cpu_time(&processes).saturating_sub(before);
        self.note(&format!("event to {} watches", fan_out::WATCHES), timings, cpu, start.elapsed());
        Ok(())
    }

    fn note(&mut self, operation: &str, timings: Timings, cpu: Duration, took: Duration) {
        let figures = Figures::new(timings, cpu, took);
        println!("  {operation}: {figures}");
        self.report.add(operation, self.contender.name(), figures);
    }

    /// Creates objects until there are as many as wanted.
    async fn fill(&self, clients: Clients, created: &Created) -> Result<(), String> {
        let wanted = self.options.objects.saturating_sub(created.count());
        clients.send(Until::Count(wanted), &|client| created.create(client)).await.map(drop)
    }

    /// Measures the memory, starts the server again, and measures that.
    async fn hold(&mut self, running: &mut Running, created: &Created) -> Result<(), String> {
        tokio::time::sleep(SETTLE).await;
        let bytes = resident_bytes(&running.processes());
        let disk = running.disk_bytes();
        // Starting waits for other processes, and asks kube-apiserver with a runtime of its own.
        let start = match tokio::task::block_in_place(|| running.restart())? {
            Some(start) => {
                until_answered(&running.endpoint, created).await?;
                Some(start.elapsed())
            }
            None => None,
        };
        tokio::time::sleep(SETTLE).await;
        let after = start.map(|_| resident_bytes(&running.processes()));
        let held = Held { objects: created.count(), bytes, disk, start, bytes_after_start: after };
        println!("  {held}");
        self.report.hold(self.contender.name(), held);
        Ok(())
    }
}

/// Asks for an object until it is there.
async fn until_answered(endpoint: &Endpoint, created: &Created) -> Result<(), String> {
    let (start, request) = (Instant::now(), created.get());
    loop {
        let answer = Connection::new(endpoint.clone()).send(&request).await;
        match answer {
            Ok(answer) if answer.status == 200 => return Ok(()),
            Ok(answer) if answer.status == 404 => return Err("an object is lost".to_string()),
            _ if start.elapsed() > START_TIMEOUT => return Err("no answer after a start".to_string()),
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}
